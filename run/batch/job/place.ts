import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isRemote } from "../../../core/address.ts";
import { shown } from "../../../core/check.ts";
import { makeFolder, synced } from "../../../write/disk.ts";
import { OutputError } from "../../report/failure.ts";
import { isRunning } from "../../report/writer.ts";
import { isKey } from "../find/keys.ts";
import { at, namesBelow, textAt } from "./files.ts";
import { isCurrent, isWhole, RESULT, RUN, readResult, reseal, seal } from "./result.ts";
import type { Done, Job } from "./types.ts";

/** The folder in the results' folder in which unfinished results lie. */
export const UNFINISHED = ".partial";
/** The file in the results' folder that has the settings of the results. */
export const MARKER = "batch.json";

/** The folder in the results' folder with a folder for each recording. */
export const RECORDINGS = "recordings";

/** The folder of a recording's result. */
export const placeOf = ({ out, key }: Pick<Job, "out" | "key">): string => at(out, RECORDINGS, ...key.split("/"));

/**
 * The folder with unfinished results: a folder among the results or, if these lie on another machine, this user's among temporary files.
 */
const unfinishedOf = (out: string): string =>
  isRemote(out) ? join(tmpdir(), `depthloom-${process.getuid?.() ?? "batch"}`) : join(out, UNFINISHED);

/** The folder in which a process of this machine writes a recording's result. */
export function unfinishedBy({ out, key }: Pick<Job, "out" | "key">, pid: number): string {
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return join(unfinishedOf(out), `${hash}.${hostname()}.${pid}`);
}

/** The result in a recording's folder; `undefined` where there is none, or a damaged one. */
export const readDone = async (job: Pick<Job, "out" | "key">): Promise<Done | undefined> =>
  isKey(job.key) ? readResult(placeOf(job)) : undefined;

/** The whole result of the recording as it is now, with the job's settings; `undefined` where there is none. */
export async function readCurrent(job: Job): Promise<Done | undefined> {
  const there = await readDone(job);
  return there && isCurrent(there, job) && (await isWhole(placeOf(job), there)) ? there : undefined;
}

/** Makes an empty folder for a result that is being computed by this process. Throws for a key that is no path below the results. */
export async function beginPlace(job: Job): Promise<string> {
  checkKey(job.key);
  await checkOut(job.out);
  const folder = unfinishedBy(job, process.pid);
  if (isRemote(job.out)) await checkTemporary(dirname(folder));
  await rm(folder, { recursive: true, force: true });
  await makeFolder(folder);
  return folder;
}

/** Makes a folder among temporary files that nobody else may use. Throws an `OutputError` where another user's stands in its place. */
async function checkTemporary(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const there = await lstat(folder);
  if (!there.isDirectory() || (process.getuid && there.uid !== process.getuid()))
    throw new OutputError(`${folder}: it belongs to somebody else; set TMPDIR to another folder`);
}

/** Throws for a key whose folder would not lie below that of all results. */
export function checkKey(key: unknown): void {
  if (!isKey(key)) throw new OutputError(`${shown(key)} names no folder below the results`);
}

/** Throws if the results' folder has disappeared: after a disk was unmounted, nothing may be written below its mount point. */
async function checkOut(out: string): Promise<void> {
  if ((await textAt(at(out, MARKER))) !== undefined) return;
  throw new OutputError(
    `${out}: the folder of the results has gone, or lost its ${MARKER}; bring it back and start again`,
  );
}

/**
 * Completes a finished folder by `result.json` and `run.json`, writes all of it to the disk, so that a power cut cannot take it, and
 * renames it to its final place, so that nobody ever sees half a result. If the same result is already there and whole (of an earlier run,
 * or put there by another process meanwhile), that result stays, and gets this run's `run.json`; anything else there is replaced. Throws an
 * `OutputError` where another recording's result would be lost.
 */
export async function settle(job: Job, folder: string, { result, run }: Done): Promise<Done> {
  const place = placeOf(job);
  await checkOut(job.out);
  await checkApart(job);
  const remote = isRemote(place);
  if (!remote) {
    await makeFolder(dirname(place));
    await synced(folder);
  }
  const done = await seal(folder, { result, run }, !remote);
  if (remote) {
    await (await import("./s3.ts")).putFolder(folder, await namesBelow(folder), place, RUN);
    return done;
  }
  await synced(folder, false);
  for (let attempt = 0; ; attempt++) {
    try {
      await rename(folder, place);
      await synced(dirname(place), false);
      return done;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (attempt === 3 || !["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(code)) throw error;
    }
    const there = await readDone(job);
    if (there && JSON.stringify(there.result) === JSON.stringify(result) && (await isWhole(place, there))) {
      await reseal(place, folder, run);
      await rm(folder, { recursive: true });
      return done;
    }
    const old = `${folder}.old`;
    await rename(place, old).catch(() => {});
    await rm(old, { recursive: true, force: true });
  }
}

/** Throws if the result's folder lies in the folder of another recording's result, or holds one. */
async function checkApart({ out, key }: Job): Promise<void> {
  const parts = key.split("/");
  const around = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
  const inside = await namesBelow(placeOf({ out, key }));
  const nested = inside.find((name) => name !== RESULT && basename(name) === RESULT);
  const held = nested === undefined ? [] : [`${key}/${dirname(nested)}`];
  for (const one of around) if ((await textAt(at(placeOf({ out, key: one }), RESULT))) !== undefined) held.push(one);
  const [other] = held;
  if (other !== undefined)
    throw new OutputError(
      `${key}: its result and that of ${other}, which is there, would lie in each other; choose another folder for the results`,
    );
}

/** Removes the unfinished results of processes of this machine that no longer run. */
export async function sweep(out: string): Promise<void> {
  const folder = unfinishedOf(out);
  for (const name of await readdir(folder).catch(() => [])) {
    const [, host, pid] = name.match(/^[^.]+\.(.+)\.(\d+)(?:\.old)?$/) ?? [];
    if (host === hostname() && !isRunning(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}
