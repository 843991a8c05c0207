import { type Abortable, signalOf, untilAborted } from "../../core/abort.ts";
import { Address, isRemote } from "../../core/address.ts";
import { checkOptions, shown } from "../../core/check.ts";
import { faultOf } from "../../core/checkFrame.ts";
import { DepthloomError } from "../../core/errors.ts";
import type { DepthTopic } from "../../core/severalTopics.ts";
import { type Disposable, disposable, type Recording, SourceError } from "../../core/source.ts";
import { framesOf } from "../../core/streams.ts";
import { isBuilt, NoThread } from "../../core/thread.ts";
import { type Dropped, type Given, givenBy, noInput } from "../files/dropped.ts";
import { optionRules } from "../format/description.ts";
import { type Fact, type OpenOptions, type Pose, type ReadOptions, withAssumed } from "../format/format.ts";
import type { Opened } from "./given.ts";
import { registeredFormats } from "./registered.ts";
import { MEGABYTES, openRemote } from "./remote/index.ts";
import { readerThread } from "./remote/thread.ts";

/**
 * The forms of a recording that can be opened: a path in Node; anywhere the address of a file (https; in Node also s3), a file, a list of
 * files, or the handle that a browser gives for a folder.
 */
export type RecordingInput = string | URL | Dropped;

/**
 * Opens a recording of any format in docs/formats.md: one file, or a folder, .zip, .tar or .tgz, perhaps with one folder around everything.
 * The contents decide the format. Opening reads no frame, and reading holds a few frames at a time, so the recording may have any size. One
 * exception is a .tgz: it has no table of contents and is unpacked in the background into temporary storage, as large as the recording.
 * Opening waits for that, since a `recording.json` may come last; for a TUM sequence it waits only until that file and the two lists were
 * found, so a .tgz that begins with them opens at once.
 *
 * A worker (in Node a thread) reads the recording. The worker is ended when it makes no progress (`maxSeconds`) or takes too much memory
 * (`maxMegabytes`). Rejects with a `SourceError` that says what is wrong, where, and what to do; with its subclass `SeveralTopicsError`
 * where the file has several depth streams and `topic` names none; with an `OptionError` for an option that is misspelt or out of range.
 *
 * @example
 * const recording = await openRecording("walk.bag", { maxSeconds: 60 });
 * for (const warning of recording.warnings) console.error(warning);
 */
export async function openRecording(input: RecordingInput, options: OpenOptions = {}): Promise<RecordedSource> {
  checkOptions("openRecording", options, optionRules);
  if (input instanceof URL) return openRecording(input.href, options);
  const name = typeof input === "string" ? input : String(Reflect.get(Object(input), "name") ?? "the recording");
  return namingFaults(name, options.signal, () => open(input, options));
}

async function open(input: Exclude<RecordingInput, URL>, options: OpenOptions): Promise<RecordedSource> {
  if (typeof input !== "string" && (typeof input !== "object" || input === null)) throw noInput(input);
  options.signal?.throwIfAborted();
  const given = typeof input === "string" ? pathGiven(input) : await givenBy(input);
  const { formats: asked, ...more } = options;
  const formats = [...(asked ?? []), ...registeredFormats];
  if (formats.length > 0) {
    const { openOwn } = await import("./openOwn.ts");
    const opened = await openOwn(given, { ...more, formats });
    if (opened) return recordingOf(opened);
  }
  const rest = { ...more, own: formats.map(({ name }) => name) };
  return recordingOf(
    await (import.meta.env.SSR ? openInNode(given, rest) : openRemote(readerThread(MEGABYTES), given, rest)),
  );
}

function pathGiven(path: string): Given {
  if (isRemote(path)) return { kind: "address", address: new Address(path) };
  if (import.meta.env.SSR) {
    const isUrl = /^file:\/\/\//i.test(path);
    return { kind: "path", path: isUrl ? process.getBuiltinModule("node:url").fileURLToPath(path) : path };
  }
  throw new SourceError(
    `${path}: a browser opens no paths; give an address (https), or choose or drop the file or folder`,
  );
}

async function openInNode(given: Given, options: ReadOptions): Promise<Opened> {
  if (isBuilt && options.worker !== false) {
    try {
      return await openRemote(readerThread(options.maxMegabytes ?? MEGABYTES), given, options);
    } catch (error) {
      if (!(error instanceof NoThread)) throw error;
      process.emitWarning(
        `a recording is read on the thread that opened it, and nothing can end reading that takes for ever: ${error.message} (worker: false turns this warning off)`,
        "depthloom",
      );
    }
  }
  const { openHere } = await import("./openHere.ts");
  return openHere(given, options);
}

/** A recording read from files. */
export interface RecordedSource extends Recording, Disposable {
  /**
   * The properties that the recording is read with, and their origins, for people to read: format, frames, unit, invalid values, rate,
   * intrinsics and colour, each once, in this order. They are known on opening. The facts do not tell a frame's size, which takes
   * reading a frame.
   */
  readonly facts: readonly Fact[];
  /** The time stamp in ms that `read` will give frame `index`; reads nothing. */
  timestampOf(index: number): number;
  /** Every depth stream of a file that can have several. */
  readonly topics?: readonly DepthTopic[];
  /** The name of the depth stream that was opened. */
  readonly topic?: string;
  /**
   * The camera's pose at frame `index` as a row-major 4×4 matrix from camera to world in metres, if the recording has poses (TUM: the
   * nearest within 0.02 s).
   */
  pose(index: number, options?: Abortable): Promise<Pose | undefined>;
}

/** Makes the public `RecordedSource` of an opened recording. */
export function recordingOf({ name: path, format, frames, close }: Opened): RecordedSource {
  let closing: Promise<void> | undefined;
  const check = (index: number) => {
    if (closing) throw new SourceError(`${path}: it was closed`);
    if (Number.isInteger(index) && index >= 0 && index < frames.length) return;
    throw new SourceError(`${path}: there is no frame ${shown(index)}: it has ${frames.length}, counted from 0`);
  };
  const reading = <T>(signal: AbortSignal | undefined, work: () => Promise<T>) =>
    untilAborted(signal, () => namingFaults(path, signal, work));
  const recording: Omit<RecordedSource, keyof Disposable> = {
    name: path.split(/[\\/]/).pop() || path,
    format: format.value,
    fps: frames.fps,
    ahead: frames.ahead,
    length: frames.length,
    warnings: frames.warnings,
    facts: [format, { what: "frames", value: String(frames.length), from: "files" }, ...frames.facts],
    ...(frames.topics && { topics: frames.topics }),
    ...(frames.topic !== undefined && { topic: frames.topic }),
    frames$: framesOf({ length: frames.length, read: (index) => recording.read(index) }),
    async read(index, options) {
      check(index);
      const frame = await reading(signalOf("read", options), () => frames.read(index));
      const wrong = faultOf(frame);
      if (wrong) throw new SourceError(`${path}: frame ${index} makes no sense: ${wrong}; record or export it again`);
      return withAssumed(frame, frames.facts);
    },
    timestampOf(index) {
      check(index);
      return frames.timestampOf(index);
    },
    async pose(index, options) {
      check(index);
      return reading(signalOf("pose", options), () => frames.pose(index));
    },
    ...(frames.extras && {
      extras: {
        holds: frames.extras.holds,
        async read(index, wanted) {
          check(index);
          return frames.extras?.read(index, wanted) ?? {};
        },
      },
    }),
    close() {
      closing ??= close();
      return closing;
    },
  };
  return disposable(recording);
}

/** A fault of Depthloom's own that a recording brought to light. The message names the recording. */
export class ReaderFault extends SourceError {
  override readonly code = "DEPTHLOOM_READER_FAULT";
}

/**
 * Returns what `work` returns. An error that nobody foresaw (not of this library, not of the system, not the reason of `signal`) becomes a
 * `ReaderFault` that names the recording, so that a strange file never ends a program that handles a `SourceError`.
 */
async function namingFaults<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const isSystems = code !== "" && !code.startsWith("ERR_");
    const isAbort = signal?.aborted === true && error === signal.reason;
    if (error instanceof DepthloomError || isSystems || isAbort || !(error instanceof Error)) throw error;
    const fault = new ReaderFault(
      `${name}: reading it failed (${error.message}): a mistake in Depthloom, whose authors would like to hear of it and to have the file`,
    );
    fault.cause = error;
    throw fault;
  }
}
