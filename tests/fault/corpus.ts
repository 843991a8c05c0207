import { gzipSync } from "node:zlib";
import { checkFrame } from "../../core/checkFrame.ts";
import { openRecording, type RecordedSource, SourceError } from "../../sources/index.ts";
import { ReaderFault } from "../../sources/recorded/index.ts";
import { type Contents, tarOf, zipOf } from "../sources/fixtures.ts";
import { files, folders } from "./healthy.ts";
import { type Random, randomOf, spoilt, spoiltPng, spoiltText } from "./mutate.ts";

/** The archives that a recording of several files can come in. */
export const packers: Readonly<Record<string, (contents: Contents) => Uint8Array>> = {
  zip: (contents) => zipOf(contents),
  stored: (contents) => zipOf(contents, 0),
  tar: tarOf,
  tgz: (contents) => gzipSync(tarOf(contents), { level: 1 }),
};

/** The mutation of a number, from which the format, the archive and the damage follow. */
export function mutationOf(number: number): { readonly name: string; readonly bytes: Uint8Array } {
  const random = randomOf(number);
  const which = number % (folders.length + files.length);
  const [file, contents] = [files[which - folders.length], folders[which]];
  if (file) return { name: `${number}.${file[0]}`, bytes: spoiltFile(...file, random) };
  const archives = Object.keys(packers);
  const archive = archives[random(archives.length)] ?? "";
  const pack = packers[archive];
  if (!pack || !contents) throw new Error("there is always one");
  const name = `${number}.${archive}`;
  // The damage is in the archive's own bytes, or in a file of an intact archive.
  if (random(3) === 0) return { name, bytes: spoilt(pack(contents), random) };
  return { name, bytes: pack(spoiltContents(contents, random)) };
}

const spoiltFile = (name: string, bytes: Uint8Array, random: Random): Uint8Array =>
  name.endsWith(".png") && random(2) ? spoiltPng(bytes, random) : spoilt(bytes, random);

function spoiltContents(contents: Contents, random: Random): Contents {
  const files = Object.keys(contents);
  const texts = files.filter((file) => /(txt|json|csv|yaml|traj|pincam)$/.test(file));
  const file = (texts.length > 0 && random(2) ? texts : files)[random(texts.length || files.length)] ?? "";
  const content = contents[file] ?? "";
  if (typeof content === "string") return { ...contents, [file]: spoiltText(content, random) };
  return { ...contents, [file]: random(4) === 0 ? spoilt(content, random) : spoiltFile(file, content, random) };
}

/** Matches the beginning of the outcome of a recording that could be opened: its format and size. */
export const OPENED = /^\w+ \d+ × \d/;

/**
 * Opens a recording and reads its first frames; returns the outcome in one line. A `SourceError` is an outcome; any other error is thrown,
 * and so is what a pipeline would refuse a frame with.
 */
export async function outcomeOf(name: string, bytes: Uint8Array): Promise<string> {
  let recording: RecordedSource | undefined;
  try {
    recording = await openRecording(new File([new Uint8Array(bytes)], name));
    const told = [`${recording.format} ${recording.length} × ${recording.fps}`];
    for (let i = 0; i < Math.min(recording.length, 4); i++) told.push(await readingOf(recording, i));
    return told.join(" | ");
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return checked(error).message;
  } finally {
    await recording?.close();
  }
}

async function readingOf(recording: RecordedSource, index: number): Promise<string> {
  try {
    const frame = await recording.read(index);
    checkFrame(frame);
    const pose = await recording.pose(index);
    if (pose && !pose.every(Number.isFinite)) throw new Error(`the pose ${pose.join()} is none`);
    return `${frame.timestamp} ${frame.depth.shape} ${frame.depth.data.reduce((sum, value) => sum + value, 0)}`;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return checked(error).message;
  }
}

function checked(error: SourceError): SourceError {
  if (error instanceof ReaderFault) throw error.cause;
  if (error.message.length > 1300 || error.message === "") throw new Error(`a message of ${error.message.length}`);
  // A list to choose from has a line for each of its items.
  if (/\p{Cc}/u.test(error.message.replaceAll("\n  ", "")))
    throw new Error(`a message that a terminal would obey: ${error.message}`);
  return error;
}
