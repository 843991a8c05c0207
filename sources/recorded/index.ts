import { Address, isRemote } from "../../core/address.ts";
import { checkOptions } from "../../core/check.ts";
import { SourceError } from "../../core/source.ts";
import { isBuilt, NoThread } from "../../core/thread.ts";
import { type Dropped, type Given, givenBy, noInput } from "../files/dropped.ts";
import { optionRules } from "../format/description.ts";
import type { OpenOptions, ReadOptions } from "../format/format.ts";
import { namingFaults } from "./fault.ts";
import type { Opened } from "./given.ts";
import { type RecordedSource, recordingOf } from "./recording.ts";
import { registeredFormats } from "./registered.ts";
import { MEGABYTES, openRemote } from "./remote/index.ts";
import { readerThread } from "./remote/thread.ts";

export type { RecordedSource } from "./recording.ts";

/**
 * The forms of a recording that can be opened: a path in Node; anywhere the address of a file (https; in Node also s3), a file, a list of
 * files, or the handle that a browser gives for a folder.
 */
export type RecordingInput = string | Dropped;

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
  const name = typeof input === "string" ? input : String(Reflect.get(Object(input), "name") ?? "the recording");
  return namingFaults(name, options.signal, () => open(input, options));
}

async function open(input: RecordingInput, options: OpenOptions): Promise<RecordedSource> {
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
  if (import.meta.env.SSR) return { kind: "path", path };
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
