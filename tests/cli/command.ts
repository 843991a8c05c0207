import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FrameOutput } from "../../viewer/replay/outputLog.ts";
import type { ReplayDocument } from "../../viewer/replay/report.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const launcher = join(root, "viewer/cli/launch.js");
/** The program to run: the launcher until it has built the command once, then the command itself, which starts faster. */
let script = launcher;

export type Document = ReplayDocument & { readonly outputs: readonly FrameOutput[] };

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A hash over a file, or over the names and contents of a folder's files and folders. */
export function hashOf(path: string): string {
  if (!statSync(path).isDirectory()) return createHash("sha256").update(readFileSync(path)).digest("hex");
  const inside = readdirSync(path).sort();
  const hashes = inside.map((name) => `${name} ${hashOf(join(path, name))}`);
  return createHash("sha256").update(hashes.join("\n")).digest("hex");
}

/** Options and commands that are followed by a place to write to. */
const WRITES = new Set(["--out", "--html", "--poses", "synth"]);

/** The existing files and folders of a command line that are not its output. */
const inputsOf = (args: readonly string[]) =>
  args.filter(
    (arg, i) =>
      arg.includes("/") && existsSync(arg) && !WRITES.has(args[i - 1] ?? "") && !(i === 2 && args[0] === "convert"),
  );

/** Runs `npm run depthloom -- …` as its script does. `ended` rejects if the command changed any of its inputs. */
export function start(
  args: readonly string[],
  nodeOptions: readonly string[] = [],
  stdin: "ignore" | "pipe" = "ignore",
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const inputs = inputsOf(args).map((path) => [path, hashOf(path)] as const);
  const child = spawn(process.execPath, [...nodeOptions, script, ...args], { stdio: [stdin, "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0) script = join(root, "dist/cli.js");
      const changed = inputs.find(([path, before]) => !existsSync(path) || hashOf(path) !== before);
      if (changed) reject(new Error(`${args.join(" ")}: the input ${changed[0]} is not what it was`));
      else resolve({ status, ...texts });
    });
  });
  return { child, ended };
}

export const depthloom = (...args: readonly string[]): Promise<Ended> => start(args).ended;

/** Runs a replay that must succeed. Returns its JSON document. */
export async function replayed(recording: string, ...args: readonly string[]): Promise<Document> {
  const { status, stdout, stderr } = await depthloom("replay", recording, "--json", ...args);
  if (status !== 0) throw new Error(`exit status ${status}\n${stderr}\n${stdout}`);
  return JSON.parse(stdout) as Document;
}
