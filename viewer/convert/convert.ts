import { readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { RecordedSource } from "../../sources/index.ts";
import { makeFolder } from "../../sources/write/disk.ts";
import type { DepthCodec } from "../../sources/write/mcap.ts";
import { LIBRARY } from "../../sources/write/recorder.ts";
import { UsageError } from "../report/failure.ts";
import { writeWhole } from "../report/files.ts";
import { checkOwnFile } from "../report/ownFile.ts";
import { MANIFEST, manifestOf, OwnFolder } from "../report/ownFolder.ts";
import { framesIn, writers } from "./folders.ts";
import { type Kind, NAMES } from "./kinds.ts";
import { packFolder } from "./pack.ts";
import { writeMcap } from "./toMcap.ts";

export interface ConvertRequest {
  readonly input: string;
  readonly out: string;
  readonly kind: Kind;
  readonly codec: DepthCodec;
  readonly start: number;
  readonly frames: number | undefined;
  readonly force: boolean;
}

export interface ConvertListener {
  readonly signal: AbortSignal;
  onFrame(done: number, of: number): void;
  /** So many frames are there from an earlier try. */
  onResume(done: number): void;
}

/** Throws a `UsageError` if the result must not go there. Changes nothing. */
export async function checkOut({ input, out, kind, force }: ConvertRequest): Promise<OwnFolder | undefined> {
  const inputs = [input];
  if (kind === "mcap" || kind === "zip") {
    await checkOwnFile({ path: out, inputs, force, mark: kind === "mcap" ? LIBRARY : MANIFEST });
    return undefined;
  }
  return OwnFolder.check({ path: out, names: NAMES[kind], inputs, force });
}

/**
 * Writes a recording as another kind, beside its place: "OUT.partial" becomes OUT when it is whole. One that was begun before is
 * gone on with. Returns the frames that are written, which are fewer than there are if it was stopped.
 */
export async function convert(
  recording: RecordedSource,
  request: ConvertRequest,
  listener: ConvertListener,
): Promise<{ readonly done: number; readonly of: number }> {
  const { out, kind, codec, start } = request;
  const own = await checkOut(request);
  const of = Math.max(0, Math.min(request.frames ?? Infinity, recording.length - start));
  if (of === 0)
    throw new UsageError(`--start ${start}: ${recording.name} has ${recording.length} frames, the first is 0`);
  const partial = `${out}.partial`;
  await makeFolder(dirname(resolve(out)));
  await begin(partial, recording, request);
  const { signal } = listener;
  let last = 0;
  const onFrame = (frames: number) => {
    if (last === 0 && frames > 1) listener.onResume(frames - 1);
    last = frames;
    listener.onFrame(frames, of);
  };
  const options = { start, count: of, truth: false, signal, onFrame };
  if (kind === "mcap") {
    const done = await writeMcap(recording, partial, codec, options);
    if (done === of) await settle(partial, out);
    return { done, of };
  }
  const layout = kind === "zip" ? "png" : kind;
  const done = await writers[layout](recording, partial, { ...options, done: await framesIn(layout, partial) });
  if (done < of) return { done, of };
  const names = await filesIn(partial);
  await writeWhole(join(partial, MANIFEST), manifestOf(names));
  if (own) await settleFolder(partial, out, own);
  else {
    // Its list comes first, so that the file is known as ours by its beginning.
    await packFolder(partial, [MANIFEST, ...names], `${partial}.zip`);
    await rename(`${partial}.zip`, out);
    await rm(partial, { recursive: true });
  }
  await rm(identityOf(partial), { force: true });
  return { done, of };
}

const identityOf = (partial: string) => `${partial}.json`;

/** Makes sure that what was begun is of the same conversion; else it is refused, or with `--force` taken away. */
async function begin(partial: string, recording: RecordedSource, request: ConvertRequest): Promise<void> {
  const { input, kind, codec, start, frames = null, force } = request;
  const { length, format } = recording;
  const times = [recording.timestampOf(0), recording.timestampOf(length - 1)];
  const same = JSON.stringify({ input: resolve(input), format, length, times, kind, codec, start, frames });
  const path = identityOf(partial);
  const found = await stat(partial).catch(() => undefined);
  if (found) {
    const before = await readFile(path, "utf8").catch(() => undefined);
    if (before === same) return;
    const ours = before !== undefined;
    if (!ours || !force) {
      const advice = ours ? "give the same options to go on, or --force to begin again" : "move it away";
      throw new UsageError(`${partial}: it is there, and of another conversion; ${advice}`);
    }
    await rm(partial, { recursive: true });
  }
  await writeWhole(path, same);
}

async function settle(partial: string, out: string): Promise<void> {
  await rename(partial, out);
  await rm(identityOf(partial), { force: true });
}

/** Puts a folder in its place: what an earlier run left there goes, what is not ours stays. */
async function settleFolder(partial: string, out: string, own: OwnFolder): Promise<void> {
  if (await stat(out).catch(() => undefined)) {
    await own.begin();
    await rm(join(out, MANIFEST));
    await rmdir(out).catch(() => {});
  }
  if (await stat(out).catch(() => undefined)) {
    for (const name of await readdir(partial)) await rename(join(partial, name), join(out, name));
    await rmdir(partial);
    return;
  }
  await rename(partial, out);
}

/** Every file in a folder, with slashes; what was not written to its end is taken away. */
async function filesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === MANIFEST) continue;
    const path = join(entry.parentPath, entry.name);
    if (entry.name.endsWith(".partial")) await rm(path);
    else
      names.push(
        path
          .slice(folder.length + 1)
          .split(sep)
          .join("/"),
      );
  }
  return names.sort();
}
