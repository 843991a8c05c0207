import { faultOf } from "../checkFrame.ts";
import { createDecoder } from "../decode/index.ts";
import { type Recording, SourceError } from "../source.ts";
import { framesOf } from "../streams.ts";
import { bagIn, lookInto } from "./containers.ts";
import { checkOptions } from "./description.ts";
import type { DepthTopic, Fact } from "./facts.ts";
import { type Dropped, noInput, openDropped } from "./files/dropped.ts";
import type { ByteFile, Files } from "./files/files.ts";
import { type Found, findFormat } from "./find.ts";
import type { Format, Input, OpenOptions, Pose } from "./format.ts";
import { formats } from "./formats.ts";
import { openRemote } from "./remote/index.ts";

/** What can be opened: in Node a path; anywhere a file, a list of files, or what a page was given for a folder. */
export type RecordingInput = string | Dropped;

/** A recording read from files. */
export interface RecordedSource extends Recording {
  /**
   * What it is taken to be, and who said so, for people to read: format, frames, unit, invalid values, rate, lens and
   * colour, each once, in this order. Known on opening: a frame's size is not, it takes the reading of one.
   */
  readonly facts: readonly Fact[];
  /** A frame's time in ms, as `read` will give it, without reading. */
  timestampOf(index: number): number;
  /** Every depth stream in it, where it is a file that can have several, and which one this is. */
  readonly topics?: readonly DepthTopic[];
  readonly topic?: string;
  /** Where the camera was at a frame, if the recording says so (TUM: the nearest pose within 0.02 s). */
  pose(index: number): Promise<Pose | undefined>;
}

/**
 * Opens a recording of any kind in docs/formats.md: one file, or a folder, .zip, .tar or .tgz, perhaps with one folder around
 * everything. What it is shows in its contents. No frame is read yet, and reading holds a few at a time, so
 * that size does not matter, with one exception: a .tgz has no list of contents and is unpacked in the background into
 * temporary storage (as large as the recording). Opening waits for that, since a `recording.json` may come last; of TUM only
 * until that and the two lists have gone by, so that a .tgz which begins with them opens at once.
 * Throws a `SourceError` that says what is wrong, where, and what to do.
 */
export async function openRecording(input: RecordingInput, options: OpenOptions = {}): Promise<RecordedSource> {
  checkOptions(options);
  if (typeof input !== "string" && (typeof input !== "object" || input === null)) throw noInput(input);
  const opened = await (typeof input === "string" ? openPath(input) : openDropped(input));
  const found = "list" in opened ? ((await bagIn(opened)) ?? opened) : opened;
  return closeOnFailure(found, async () =>
    openInput("list" in found ? { kind: "files", files: found } : await lookInto(found), options),
  );
}

async function openPath(path: string): Promise<Files | ByteFile> {
  if (import.meta.env.SSR) return (await import("./files/node.ts")).openPath(path);
  throw new SourceError(`${path}: a browser opens no paths; choose or drop the file or folder`);
}

/** Finds the format and makes the recording. In a page a single file is read in a worker of its own. */
export async function openInput(input: Input, options: OpenOptions = {}): Promise<RecordedSource> {
  const held = input.kind === "files" ? input.files : input.file;
  return closeOnFailure(held, async () => {
    if (!import.meta.env.SSR && input.kind === "file" && input.file.blob) {
      return recordingOf(held.name, await openRemote(input.file.blob, held.name, options), held.close);
    }
    const decoder = createDecoder(options.maxMegapixels);
    const found = await findFormat(input, options, await formatsFor(input), decoder);
    return recordingOf(held.name, found, async () => {
      decoder.close();
      await held.close();
    });
  });
}

async function formatsFor({ kind }: Input): Promise<readonly Format[]> {
  if (!import.meta.env.SSR || kind === "files") return formats;
  return [...formats, ...(await import("./fileFormats.ts")).fileFormats];
}

async function closeOnFailure<T>(held: { close(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await held.close();
    throw error;
  }
}

function recordingOf(path: string, { format, frames }: Found, close: () => Promise<void>): RecordedSource {
  let closing: Promise<void> | undefined;
  const check = (index: number) => {
    if (closing) throw new SourceError(`${path}: it was closed`);
    if (Number.isInteger(index) && index >= 0 && index < frames.length) return;
    throw new SourceError(`${path}: there is no frame ${index}; it has ${frames.length}, the first is 0`);
  };
  const recording: RecordedSource = {
    name: path.split(/[\\/]/).pop() || path,
    format: format.value,
    fps: frames.fps,
    length: frames.length,
    warnings: frames.warnings,
    facts: [format, { what: "frames", value: String(frames.length), from: "files" }, ...frames.facts],
    ...(frames.topics && { topics: frames.topics }),
    ...(frames.topic !== undefined && { topic: frames.topic }),
    frames$: framesOf({ length: frames.length, read: (index) => recording.read(index) }),
    async read(index) {
      check(index);
      const frame = await frames.read(index);
      const wrong = faultOf(frame);
      if (wrong)
        throw new SourceError(
          `${path}: frame ${index} cannot be as the recording has it: ${wrong}; record or export it again`,
        );
      return frame;
    },
    timestampOf(index) {
      check(index);
      return frames.timestampOf(index);
    },
    async pose(index) {
      check(index);
      return frames.pose(index);
    },
    close() {
      closing ??= (async () => {
        frames.close?.();
        await close();
      })();
      return closing;
    },
  };
  return recording;
}
