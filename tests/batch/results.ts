import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { RECORDINGS } from "../../run/batch/job/place.ts";
import { hashOf } from "../cli/command.ts";

/** The results in a folder by their recordings: the hashes of all files of each, except run.json. */
export function resultsOf(out: string): Record<string, string> {
  const root = join(out, RECORDINGS);
  if (!existsSync(root)) return {};
  const found = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /(^|\/)result\.json$/.test(name))
    .map(dirname)
    .sort();
  return Object.fromEntries(found.map((key) => [key, hashWithoutRun(join(root, key))]));
}

const hashWithoutRun = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== "run.json")
    .sort()
    .map((name) => `${name} ${hashOf(join(folder, name))}`)
    .join("\n");

export const manifestOf = (out: string): string => readFileSync(join(out, "manifest.jsonl"), "utf8");

/** The number of results in a folder. */
export function countIn(out: string): number {
  const root = join(out, RECORDINGS);
  if (!existsSync(root)) return 0;
  const of = (folder: string): number =>
    existsSync(join(folder, "result.json"))
      ? 1
      : readdirSync(folder, { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .reduce((sum, { name }) => sum + of(join(folder, name)), 0);
  return of(root);
}
