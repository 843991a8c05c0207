import { readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { SourceError } from "../../core/source.ts";
import { shareText } from "../../sources/format/format.ts";
import type { OpenOptions, RecordedSource } from "../../sources/index.ts";
import { makeFolder } from "../../write/disk.ts";
import { Folder } from "../../write/folder.ts";
import type { WriteOptions } from "../../write/frames.ts";
import { type EpisodePart, type LerobotOptions, writeLerobot } from "../../write/lerobot/index.ts";
import { Losses } from "../../write/losses.ts";
import type { DepthCodec } from "../../write/mcap.ts";
import { LIBRARY } from "../../write/recorder.ts";
import { countFrom } from "../replay/frames.ts";
import { RequestError, refused } from "../report/failure.ts";
import { writeWhole } from "../report/files.ts";
import { checkOwnFile } from "../report/ownFile.ts";
import { MANIFEST, manifestOf, OwnFolder } from "../report/ownFolder.ts";
import { goesOn, noteUnreadable, recordingIdentity, settled, unreadableOf } from "../report/unfinished.ts";
import { Unreadable, watchedPart } from "../unreadable.ts";
import { framesIn, writers } from "./folders.ts";
import { type Kind, NAMES } from "./kinds.ts";
import { MAX_FILES, packFolder } from "./pack.ts";
import { writeMcap } from "./toMcap.ts";

export interface ConvertRequest {
  readonly input: string;
  readonly out: string;
  readonly kind: Kind;
  readonly codec: DepthCodec;
  /** Whether an .mcap gets points, too. */
  readonly points?: boolean | undefined;
  readonly start: number;
  readonly frames: number | undefined;
  readonly force: boolean;
  /** How the recording was opened. */
  readonly opening?: OpenOptions | undefined;
  readonly lerobot?: LerobotRequest | undefined;
  /** The filters of the frames, if there are any; a filtered conversion begins again. */
  readonly filters?: object | undefined;
}

/** The description of a data set of LeRobot that frames are converted to. */
export interface LerobotRequest extends Pick<LerobotOptions, "depth" | "task"> {
  /** The recording's frames with which a new episode begins. */
  readonly cuts: readonly number[];
  /** More recordings, an episode each. */
  readonly others: readonly RecordedSource[];
}

export interface ConvertListener {
  readonly signal: AbortSignal;
  onFrame(done: number, of: number): void;
  /** Called when the first frames' pairs, which a filter is to match, cannot be right. */
  warn?(line: string): void;
  /** Called with the number of frames that an earlier run has already written. */
  onResume(done: number): void;
  /** Gets the frames that cannot be read, which are left out. */
  readonly unreadable?: Unreadable;
}

/** Throws a `RequestError` where the result must not be written. Changes nothing. */
export async function checkOut({ input, out, kind, force }: ConvertRequest): Promise<OwnFolder | undefined> {
  const inputs = [input];
  if (kind === "mcap" || kind === "zip") {
    await checkOwnFile({ path: out, inputs, force, mark: kind === "mcap" ? LIBRARY : MANIFEST });
    return undefined;
  }
  return OwnFolder.check({ path: out, names: NAMES[kind], inputs, force });
}

/**
 * Converts a recording. It writes "OUT.partial" beside the result's place, and renames it when it is complete; an interrupted conversion is
 * continued. Returns the number of frames written, of how many that can be read (fewer if it was stopped), and a line for each kind of loss
 * in the frames written by this run.
 */
export async function convert(
  recording: RecordedSource,
  request: ConvertRequest,
  listener: ConvertListener,
): Promise<{ readonly done: number; readonly of: number; readonly lost: readonly string[] }> {
  const { out, kind, start, lerobot } = request;
  const own = await checkOut(request);
  const count = countFrom(recording, start, request.frames);
  const of = (lerobot?.others ?? []).reduce((sum, { length }) => sum + length, count);
  checkFits(request, recording, count);
  const partial = `${out}.partial`;
  await makeFolder(dirname(resolve(out)));
  const { signal, unreadable = new Unreadable() } = listener;
  const { lost } = unreadable;
  // The files already written have no place for a frame that could not be read then, even if it can be read now.
  for (const index of await begin(partial, recording, request)) {
    const why = new SourceError(`${recording.name}: frame ${index} could not be read when the conversion began`);
    const error = await recording.read(index).then(
      () => why,
      (reason) => reason,
    );
    lost(index, error);
  }
  let places = 0;
  /** The recording, with its frames counted on from those of the recordings before it. */
  const watched = (one: RecordedSource) => {
    const from = places;
    places += one.length;
    const told = {
      lost(index: number, error: Error) {
        lost(from + index, error);
        noteUnreadable(partial, from + index);
      },
    };
    return watchedPart(one, { start: 0, count: one.length }, told);
  };
  const readable = watched(recording);
  let last = 0;
  const onFrame = (frames: number) => {
    if (last === 0 && frames > 1) listener.onResume(frames - 1);
    last = frames;
    listener.onFrame(frames, of);
  };
  const losses = new Losses();
  const all = () => {
    if (unreadable.first && unreadable.count === of) throw unreadable.first;
    return { of: of - unreadable.count, lost: losses.lines };
  };
  const options = { start, count, truth: false, signal, onFrame, losses };
  if (kind === "mcap") {
    const done = await writeMcap(readable, partial, request, { ...options, unreadable });
    if (all().of === done) {
      await rename(partial, out);
      await settled(partial);
    }
    return { done, ...all() };
  }
  const { cuts: _, others: __, ...how } = lerobot ?? { depth: "tiff", task: "", cuts: [], others: [] };
  const stopped = (error: unknown) => {
    if (signal.aborted && error === signal.reason) return last;
    throw error;
  };
  const done = await (lerobot
    ? writeSet(episodesOf(readable, start, count, { ...lerobot, others: lerobot.others.map(watched) }), partial, {
        ...how,
        signal,
        onFrame,
        losses,
      })
    : writeFolder(kind, readable, partial, { ...options, unreadable })
  ).catch(stopped);
  if (done < all().of) return { done, ...all() };
  const names = await filesIn(partial);
  await writeWhole(join(partial, MANIFEST), manifestOf(names));
  if (own) await own.settle(partial);
  else {
    // The list of names comes first in the file, so that its beginning marks it as written by depthloom.
    await packFolder(partial, [MANIFEST, ...names], `${partial}.zip`).catch((error) => {
      if (!(error instanceof SourceError)) throw error;
      throw new SourceError(`${error.message}: all images are in that folder; rename it`);
    });
    await rename(`${partial}.zip`, out);
    await rm(partial, { recursive: true });
  }
  await settled(partial);
  return { done, ...all() };
}

/** Throws where a .zip has too few places for the images, before one is written. */
function checkFits({ kind, out }: ConvertRequest, { facts }: RecordedSource, count: number): void {
  const hasColour = facts.some(({ what, value }) => what === "colour" && value === shareText(1, 1));
  if (kind === "zip" && count * (hasColour ? 2 : 1) > MAX_FILES)
    throw new RequestError(
      `${out}: a .zip holds ${MAX_FILES} files, and there are more images: convert to a folder or an .mcap, or fewer frames`,
    );
}

async function writeFolder(
  kind: Kind,
  recording: RecordedSource,
  partial: string,
  { unreadable, ...options }: WriteOptions & { readonly unreadable: Unreadable },
) {
  const layout = kind === "zip" ? "png" : (kind as keyof typeof writers);
  return writers[layout](recording, partial, unreadable.after(options, await framesIn(layout, partial)));
}

/** An unfinished data set is begun again. */
async function writeSet(parts: readonly EpisodePart[], partial: string, options: LerobotOptions): Promise<number> {
  await rm(partial, { recursive: true, force: true });
  return writeLerobot(parts, await Folder.create(partial), options);
}

/** Throws where a data set cannot be divided into episodes by these cuts. */
export function checkCuts(cuts: readonly number[], start: number, count: number): void {
  const end = start + count;
  const bad = cuts.find((cut, i) => cut <= Math.max(start, cuts[i - 1] ?? 0) || cut >= end);
  if (bad !== undefined)
    throw refused("cut", bad, `marks rise, and lie between the frames ${start} and ${end - 1} that are written`);
}

/** The recording's part from `start`, cut into episodes, and the other recordings whole. */
function episodesOf(recording: RecordedSource, start: number, count: number, { cuts, others }: LerobotRequest) {
  const end = start + count;
  checkCuts(cuts, start, count);
  const starts = [start, ...cuts];
  return [
    ...starts.map((first, i) => ({ recording, start: first, count: (starts[i + 1] ?? end) - first })),
    ...others.map((other) => ({ recording: other, start: 0, count: other.length })),
  ];
}

/** Begins, or goes on with, an unfinished result. Returns the frames that the run before could not read. */
async function begin(partial: string, recording: RecordedSource, request: ConvertRequest): Promise<readonly number[]> {
  const { input, opening, kind, codec, points, start, frames, force, lerobot, filters } = request;
  const { others = [], ...how } = lerobot ?? {};
  const more = others.map(({ name, length }) => [name, length]);
  // With filters no frame is read here, because they take each once, in order; a filtered conversion is never resumed.
  const identity = filters ? { input: resolve(input) } : await recordingIdentity(input, recording, opening);
  const same = { ...identity, kind, codec, points, start, frames, set: how, more, filters };
  const clear = (isKnown: boolean) => {
    if (!isKnown) throw new RequestError(`${partial}: this was not written by depthloom: move it away`);
    return rm(partial, { recursive: true });
  };
  const isAgain = filters !== undefined;
  const goes = await goesOn(partial, { same, force, isFree: () => checkOut(request), clear, isAgain });
  return goes && !lerobot ? unreadableOf(partial) : [];
}

/** All files in a folder, with slashes. Incomplete files are removed. */
async function filesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === MANIFEST) continue;
    const path = join(entry.parentPath, entry.name);
    if (entry.name.endsWith(".partial")) await rm(path);
    else names.push(path.slice(folder.length + 1).replaceAll(sep, "/"));
  }
  return names.sort();
}
