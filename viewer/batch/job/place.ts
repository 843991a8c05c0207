import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { makeFolder } from "../../../sources/write/disk.ts";
import { OutputError } from "../../report/failure.ts";
import type { Done, Job, Result, Run } from "./types.ts";

/** The folder in the results' folder in which unfinished results lie. */
export const UNFINISHED = ".partial";
/** The file in the results' folder that has the settings of the results. */
export const MARKER = "batch.json";
const RESULT = "result.json";
const RUN = "run.json";

/** The folder in the results' folder with a folder for each recording. */
export const RECORDINGS = "recordings";

/** The folder of a recording's result. */
export const placeOf = ({ out, key }: Pick<Job, "out" | "key">): string => join(out, RECORDINGS, ...key.split("/"));

/** The folder in which a process of this machine writes a recording's result. */
export function unfinishedBy({ out, key }: Pick<Job, "out" | "key">, pid: number): string {
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return join(out, UNFINISHED, `${hash}.${hostname()}.${pid}`);
}

/** Makes an empty folder for a result that is being computed by this process. */
export async function beginPlace(job: Job): Promise<string> {
  await checkOut(job.out);
  const folder = unfinishedBy(job, process.pid);
  await rm(folder, { recursive: true, force: true });
  await makeFolder(folder);
  return folder;
}

/** Throws if the results' folder has disappeared: after a disk was unmounted, nothing may be written below its mount point. */
async function checkOut(out: string): Promise<void> {
  if (await stat(join(out, MARKER)).catch(() => undefined)) return;
  throw new OutputError(
    `${out}: the folder of the results has gone, or lost its ${MARKER}; bring it back and start again`,
  );
}

/**
 * Renames a finished folder to its final place, so that nobody ever sees half a result. If another process has put the same result there
 * meanwhile, that one stays; a different result is replaced.
 */
export async function settle(job: Job, folder: string, { result }: Pick<Done, "result">): Promise<void> {
  const place = placeOf(job);
  await checkOut(job.out);
  await makeFolder(dirname(place));
  for (let attempt = 0; ; attempt++) {
    try {
      await rename(folder, place);
      return;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (attempt === 3 || !["ENOTEMPTY", "EEXIST"].includes(code)) throw error;
    }
    const there = await readDone(job);
    if (there && JSON.stringify(there.result) === JSON.stringify(result)) {
      await rm(folder, { recursive: true });
      return;
    }
    const old = `${folder}.old`;
    await rename(place, old).catch(() => {});
    await rm(old, { recursive: true, force: true });
  }
}

export const resultFiles = (result: Result, run: Run): readonly (readonly [name: string, text: string])[] => [
  [RESULT, `${JSON.stringify(result)}\n`],
  [RUN, `${JSON.stringify(run)}\n`],
];

/** The result in a recording's folder; `undefined` where there is none. */
export async function readDone(job: Pick<Job, "out" | "key">): Promise<Done | undefined> {
  const place = placeOf(job);
  try {
    const [result, run] = await Promise.all(
      [RESULT, RUN].map(async (name) => JSON.parse(await readFile(join(place, name), "utf8"))),
    );
    return { result, run };
  } catch {
    return undefined;
  }
}

/** Whether a result is that of the recording as it is now, with these settings, by this version. */
export const isCurrent = ({ result, run }: Done, job: Pick<Job, "identity" | "stamp" | "bytes">): boolean =>
  result.identity === job.identity && result.bytes === job.bytes && run.stamp === job.stamp;

/** Counts and hashes the files in a folder, except `result.json` and `run.json`. */
export async function hashFolder(folder: string): Promise<Result["written"]> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .filter((name) => name !== RESULT && name !== RUN)
    .sort();
  const all = createHash("sha256");
  let bytes = 0;
  for (const name of names) {
    const hash = createHash("sha256");
    for await (const piece of createReadStream(join(folder, name))) {
      hash.update(piece);
      bytes += piece.length;
    }
    all.update(`${hash.digest("hex")}  ${name}\n`);
  }
  return { files: names.length, bytes, sha256: all.digest("hex") };
}

/** Removes the unfinished results of processes of this machine that no longer run. */
export async function sweep(out: string): Promise<void> {
  const folder = join(out, UNFINISHED);
  for (const name of await readdir(folder).catch(() => [])) {
    const [, host, pid] = name.match(/^[^.]+\.(.+)\.(\d+)(?:\.old)?$/) ?? [];
    if (host === hostname() && !runs(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
