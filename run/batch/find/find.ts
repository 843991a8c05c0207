import { stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isRemote } from "../../../core/address.ts";
import { SourceError } from "../../../core/source.ts";
import { RequestError } from "../../report/failure.ts";
import { isWithin, realPlace } from "../../report/ownFolder.ts";
import type { Finding, FoundRecording } from "./found.ts";
import { patternOf } from "./glob.ts";
import { apart, printable } from "./keys.ts";
import { findRemote } from "./remote.ts";
import { type Candidate, walk } from "./walk.ts";

/**
 * Finds recordings, by their contents, in files, folders, patterns (`*`, `?`, `**`) and at addresses (`https://…`, `s3://bucket/prefix/`).
 * Returns them in the order of their keys (see `keyOf` and `apart`). An address without a recording is a recording with a fault.
 * `outFolder` is the results' folder, which may neither lie in an input nor contain one; a server that sends nothing for `maxSeconds` (15)
 * is given up. Throws a `RequestError` for an input that does not exist.
 */
export async function findRecordings(
  inputs: readonly string[],
  outFolder: string,
  maxSeconds?: number,
): Promise<Finding> {
  const out = isRemote(outFolder) ? undefined : await realPlace(outFolder);
  for (const input of inputs.filter(isRemote)) refuseInside(input, outFolder);
  const remote = await findRemote(inputs.filter(isRemote), maxSeconds);
  const local = inputs.filter((input) => !isRemote(input));
  const places = new Map<string, Candidate>();
  const roots: string[] = [];
  const leftOut: string[] = [];
  let passed = 0;
  for (const input of local) {
    const there = await stat(input).catch(() => undefined);
    const pattern = there ? undefined : patternOf(input.split(sep).join("/"));
    const from = resolve(pattern?.root ?? input);
    if (!there && !(pattern && (await stat(from).catch(() => undefined))))
      throw new RequestError(`${input}: there is no such file or folder; check the path`);
    const root = there?.isFile() ? dirname(from) : from;
    const real = await realPlace(root);
    if (out !== undefined && (real === out || isWithin(out, real))) refuse(input, out, there?.isFile() === true);
    if (out !== undefined && isWithin(await realPlace(from), out))
      throw new RequestError(`${input}: it is in the folder of the results: choose another one for them`);
    roots.push(root);
    const walked = await walk(from, new Set(out === undefined ? [] : [resolve(out)]));
    const named = (path: string) => relative(from, path).split(sep).join("/");
    const wanted = walked.places.filter(({ path }) => !pattern || pattern.matches(named(path)));
    if (pattern && wanted.length === 0) throw new RequestError(`${input}: no recording matches this pattern`);
    for (const place of wanted) places.set(`${place.path}\0${place.topic ?? ""}`, place);
    if (walked.leftOut !== undefined) leftOut.push(`${input}: ${walked.leftOut}`);
    if (!pattern) passed += walked.passed;
  }
  const root = commonFolder(roots);
  const found: FoundRecording[] = [];
  for (const place of places.values()) {
    const { path, ...rest } = place;
    const key = printable(relative(root, path).split(sep).join("/") || basename(path));
    const episodes = place.topic === undefined ? await episodesAt(place, key) : [];
    // Series of one rank in a folder are a recording each: "left_depth_*.png" has its results in left_depth_.
    const stem = place.topic?.replace(/\.\w+$/, "").replace(/[*/]+/g, "_");
    const name = stem === undefined ? key : `${key}/${printable(stem)}`;
    found.push(...(episodes.length > 0 ? episodes : [{ ...rest, input: path, key: name }]));
  }
  return {
    found: apart([...found, ...remote.found]).sort((a, b) => (a.key < b.key ? -1 : 1)),
    passed: passed + remote.passed,
    leftOut,
  };
}

/** The episodes of a data set of LeRobot, each a recording. A data set that cannot be read is one recording, whose job says why. */
async function episodesAt({ path, ...rest }: Candidate, key: string): Promise<FoundRecording[]> {
  if (!(await stat(join(path, "meta", "info.json")).catch(() => undefined))) return [];
  const { episodesAt: read } = await import("../../../sources/recorded/remote/episodes.ts");
  try {
    const episodes = await read(path);
    const all = episodes.reduce((sum, { frames }) => sum + frames, 0);
    return episodes.map(({ topic, frames }) => ({
      ...rest,
      input: path,
      topic,
      bytes: Math.round((rest.bytes * frames) / Math.max(1, all)),
      key: `${key}/${topic.replace(/ (\d+)$/, (_, digits: string) => `_${digits.padStart(6, "0")}`)}`,
    }));
  } catch (error) {
    if (error instanceof SourceError) return [];
    throw error;
  }
}

/** Results may lie in no prefix that is an input, and an input not below the results. */
function refuseInside(input: string, out: string): void {
  const [from, to] = [input.replace(/^s3/i, "s3"), `${out}/`];
  if ((from.endsWith("/") && to.startsWith(from)) || from.startsWith(to)) refuse(input, out, false);
}

/** An input file may lie beside the results' folder; an input folder may not contain it. */
function refuse(input: string, out: string, isFile: boolean): void {
  if (isFile) return;
  throw new RequestError(
    `${out}: it is in the input (${input}): choose another folder, results never go where the input is`,
  );
}

/** The deepest folder that contains or equals all these folders. */
function commonFolder(folders: readonly string[]): string {
  const [first = "", ...rest] = folders;
  let common = first;
  while (rest.some((folder) => folder !== common && !isWithin(folder, common))) common = dirname(common);
  return common;
}
