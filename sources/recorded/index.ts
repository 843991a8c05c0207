import { shown } from "../check.ts";
import { createDecoder } from "../decode/index.ts";
import { type Recording, SourceError } from "../source.ts";
import { framesOf } from "../streams.ts";
import { lookInto } from "./containers.ts";
import { checkOptions } from "./description.ts";
import type { Fact } from "./facts.ts";
import { type Dropped, noInput, openDropped } from "./files/dropped.ts";
import { type ByteFile, type Files, folderOf, onlyFolder } from "./files/files.ts";
import type { Frames, Input, OpenOptions, Pose } from "./format.ts";
import { formats } from "./formats.ts";

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
  /** Where the camera was at a frame, if the recording says so (TUM: the nearest pose within 0.02 s). */
  pose(index: number): Promise<Pose | undefined>;
}

/**
 * Opens a recording: a TUM RGB-D or 7-Scenes sequence, or 16-bit PNGs, as a folder, .zip, .tar or .tgz, perhaps with one
 * folder around everything. What it is shows in its contents. No frame is read yet, and reading holds a few at a time, so
 * that size does not matter, with one exception: a .tgz has no list of contents and is unpacked in the background into
 * temporary storage (as large as the recording). Opening waits for that, since a `recording.json` may come last; of TUM only
 * until that and the two lists have gone by, so that a .tgz which begins with them opens at once.
 * Throws a `SourceError` that says what is wrong, where, and what to do.
 */
export async function openRecording(input: RecordingInput, options: OpenOptions = {}): Promise<RecordedSource> {
  checkOptions(options);
  if (typeof input !== "string" && (typeof input !== "object" || input === null)) throw noInput(input);
  const opened = await (typeof input === "string" ? openPath(input) : openDropped(input));
  if ("list" in opened) return openInput({ kind: "files", files: opened }, options);
  return closeOnFailure(opened, async () => openInput(await lookInto(opened), options));
}

async function openPath(path: string): Promise<Files | ByteFile> {
  if (import.meta.env.SSR) return (await import("./files/node.ts")).openPath(path);
  throw new SourceError(`${path}: a browser opens no paths; choose or drop the file or folder`);
}

/** Finds the format and makes the recording. */
export async function openInput(input: Input, options: OpenOptions = {}): Promise<RecordedSource> {
  const held = input.kind === "files" ? input.files : input.file;
  const decoder = createDecoder(options.maxMegapixels);
  return closeOnFailure(held, async () => {
    const wanted = formats.filter(({ name }) => options.format === undefined || name === options.format);
    if (wanted.length === 0) {
      throw new SourceError(
        `there is no format ${shown(options.format)}; there are ${formats.map(({ name }) => name).join(", ")}`,
      );
    }
    await refuseSeveral(input);
    for (const format of wanted) {
      const frames = await format.open(input, options, decoder);
      if (frames)
        return recordingOf(held.name, formatFact(format.name, options), frames, async () => {
          decoder.close();
          await held.close();
        });
    }
    throw await unknown(
      input,
      wanted.map(({ sign }) => sign),
    );
  });
}

/** A folder of recordings is not taken for one of them, whatever kinds they are. */
async function refuseSeveral(input: Input): Promise<void> {
  if (input.kind !== "files" || !input.files.indexed) return;
  const names = await input.files.list();
  const marked = names.filter((name) => formats.some(({ mark }) => mark?.test(name)));
  onlyFolder(input.files, marked.map(folderOf));
}

async function closeOnFailure<T>(held: { close(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await held.close();
    throw error;
  }
}

const formatFact = (name: string, { format }: OpenOptions): Fact => ({
  what: "format",
  value: name,
  from: format === undefined ? "files" : "option",
});

function recordingOf(path: string, format: Fact, frames: Frames, close: () => Promise<void>): RecordedSource {
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
    frames$: framesOf({ length: frames.length, read: (index) => recording.read(index) }),
    async read(index) {
      check(index);
      return frames.read(index);
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
      closing ??= close();
      return closing;
    },
  };
  return recording;
}

/** Why nothing knew the input, by what is in it. */
async function unknown(input: Input, signs: readonly string[]): Promise<SourceError> {
  const looked = `looked for ${signs.join(", ")}`;
  if (input.kind === "file") {
    return new SourceError(
      `${input.file.name}: this is no recording that can be read (a folder, .zip, .tar or .tgz; ${looked})`,
    );
  }
  const { files } = input;
  const names = await files.list();
  if (names.length === 0)
    return new SourceError(`${files.name}: it is empty; choose the folder or archive of a recording`);
  const some = (list: readonly string[]) => list.slice(0, 4).join(", ") + (list.length > 4 ? " …" : "");
  const archives = names.filter((name) => /\.(zip|tgz|tar|tar\.gz)$/i.test(name));
  if (archives.length > 0) {
    return new SourceError(
      `${files.name}: it holds archives, each a recording (${some(archives)}); unpack it and open one of those`,
    );
  }
  return new SourceError(`${files.name}: no recording is in it (${looked}); it holds ${some(names)}`);
}
