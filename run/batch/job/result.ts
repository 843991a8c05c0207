import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRemote } from "../../../core/address.ts";
import { at, namesBelow, textAt } from "./files.ts";
import type { Done, Job, Result, Run } from "./types.ts";

// The files of a finished result, and whether they are still the files that were written.

export const RESULT = "result.json";
export const RUN = "run.json";
/** The fields of a result beside these two. */
const OWN = ["recording", "recording.mcap", "thumbnail.png"];

/** Has the system write a file to the disk before the next step. */
const FLUSHED = { flush: true };

/** Writes `result.json`, and `run.json` with the seal of the folder's files, `timed` where they stay on this machine. */
export async function seal(folder: string, { result, run }: Done, timed: boolean): Promise<Done> {
  await writeFile(join(folder, RESULT), `${JSON.stringify(result)}\n`, FLUSHED);
  const sealed = { ...run, seal: await sealOf(folder, timed) };
  await writeFile(join(folder, RUN), `${JSON.stringify(sealed)}\n`, FLUSHED);
  return { result, run: sealed };
}

/** Replaces the `run.json` of the result in `place`, by way of `folder`. */
export async function reseal(place: string, folder: string, run: Run): Promise<void> {
  await writeFile(join(folder, RUN), `${JSON.stringify({ ...run, seal: await sealOf(place) })}\n`, FLUSHED);
  await rename(join(folder, RUN), join(place, RUN));
}

/** The result in a folder; `undefined` where there is none, or one with fields that batch does not write. */
export async function readResult(place: string): Promise<Done | undefined> {
  try {
    const [result, run] = await Promise.all(
      [RESULT, RUN].map(async (name): Promise<unknown> => JSON.parse((await textAt(at(place, name))) ?? "")),
    );
    return isResult(result) && isRun(run) ? { result, run } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a result is that of the recording as it is now, with these settings, by this version. */
export const isCurrent = ({ result, run }: Done, job: Pick<Job, "identity" | "stamp" | "bytes">): boolean =>
  result.identity === job.identity && result.bytes === job.bytes && run.stamp === job.stamp;

/**
 * Whether the files in a result's folder are the files that were written: names, sizes and times are the same or, after a copy to another
 * disk, names and hashes. A file of S3 is only ever written whole, so there names and sizes suffice.
 */
export async function isWhole(place: string, { result, run }: Done): Promise<boolean> {
  if ((await sealOf(place).catch(() => undefined)) === run.seal) return true;
  if (isRemote(place)) return false;
  const { files, bytes, sha256 } = await hashFolder(place).catch(() => ({ files: -1, bytes: 0, sha256: "" }));
  const { written } = result;
  return files === written.files && bytes === written.bytes && sha256 === written.sha256;
}

/** Counts and hashes a result's files, except `result.json` and `run.json`. */
export async function hashFolder(folder: string): Promise<Result["written"]> {
  const all = createHash("sha256");
  const names = await namesIn(folder);
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

/** A hash over names, sizes and times of change of a result's files. (The time of change cannot be set, as the time of writing can.) */
async function sealOf(folder: string, timed = true): Promise<string> {
  const all = createHash("sha256");
  const remote = isRemote(folder) ? await (await import("./s3.ts")).listBelow(folder) : undefined;
  const names = remote ? ownOf(remote.map(({ name }) => name)) : await namesIn(folder);
  for (const name of [...names, RESULT]) {
    const { size, ctimeMs } = remote
      ? { size: remote.find((one) => one.name === name)?.size, ctimeMs: 0 }
      : await stat(join(folder, name));
    all.update(`${name} ${size} ${timed && !remote ? ctimeMs : ""}\n`);
  }
  return all.digest("hex");
}

const namesIn = async (folder: string) => ownOf(await namesBelow(folder));
const ownOf = (names: readonly string[]) => names.filter((name) => OWN.includes(name.replace(/\/.*$/s, ""))).sort();

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Whether fields have the types that `typeof` names. */
const have = (fields: Fields, type: string, ...names: readonly string[]) =>
  names.every((name) => typeof fields[name] === type);

function isResult(value: unknown): value is Result {
  if (!isFields(value)) return false;
  const { figures, warnings, written } = value;
  return (
    have(value, "string", "recording", "version", "identity") &&
    have(value, "number", "bytes") &&
    isFields(figures) &&
    have(figures, "string", "format") &&
    have(figures, "number", "frames") &&
    Object.values(figures).every((one) => one === null || ["string", "number"].includes(typeof one)) &&
    Array.isArray(warnings) &&
    warnings.every((line) => typeof line === "string") &&
    isFields(written) &&
    have(written, "number", "files", "bytes") &&
    have(written, "string", "sha256")
  );
}

const isRun = (value: unknown): value is Run =>
  isFields(value) &&
  have(value, "string", "host", "finished", "stamp") &&
  have(value, "number", "seconds", "peakMiB") &&
  (value.overBudget === null || typeof value.overBudget === "number");
