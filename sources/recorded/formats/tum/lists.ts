import { matrixOf, rotationOf } from "../../../../core/calibration/extrinsics.ts";
import { SourceError } from "../../../../core/source.ts";
import {
  baseOf,
  type Files,
  folderOf,
  LONGEST_LIST,
  mostLines,
  readText,
  safeName,
  tooManyLines,
} from "../../../files/files.ts";
import type { Pose } from "../../../format/format.ts";
import { TICK_MS, TICKS } from "../../beside/times.ts";
import { isPng } from "../../color.ts";

export interface Line<T> {
  readonly seconds: number;
  readonly value: T;
  /** The line's number; absent where an image is known only by its name. */
  readonly line: number | undefined;
}

export const time = ({ seconds }: Line<unknown>) => seconds;

/** The most characters of a line; no recorder writes longer ones. */
export const LONGEST_LINE = 1000;
const NEWLINE = 10;
/** The latest time in seconds: the year 5138. A larger number has another unit. */
const LATEST = 1e11;

/**
 * Reads lines of "time value …" and sorts them by time, with a warning if they were in another order. "#" begins a comment; commas count as
 * spaces.
 */
export async function readList<T>(
  files: Files,
  name: string,
  read: (words: string[], where: string) => T,
  warnings: string[],
): Promise<Line<T>[]> {
  const lines: Line<T>[] = [];
  for await (const { words, text, line, where } of rowsOf(files, name)) {
    const seconds = readTime(words[0], text, where);
    lines.push({ seconds, value: read(words.slice(1), where), line });
  }
  const back = lines.filter(({ seconds }, i) => seconds < lines[i - 1]?.seconds);
  if (back.length > 0) {
    const more = back.length > 1 ? `, as in ${back.length - 1} more of its lines` : "";
    warnings.push(
      `${files.name}/${name}, line ${back[0].line}: its time, ${back[0].seconds} s, is earlier than the line before's${more}; lines are taken in the order of their times`,
    );
  }
  return lines.sort((a, b) => a.seconds - b.seconds);
}

/** Gives the words of a list's lines, without empty ones and comments. Throws a `SourceError` for a line too long, or one too many. */
export async function* rowsOf(files: Files, name: string) {
  const most = mostLines(files);
  let count = 0;
  for (const { text, line } of linesOf(await readText(files, name, LONGEST_LIST))) {
    const where = `${files.name}/${name}, line ${line}`;
    if (text.length > LONGEST_LINE) throw malformed(where, `up to ${LONGEST_LINE} characters are expected`, text);
    const words = text.replaceAll(",", " ").trim().split(/\s+/);
    if (words[0] === "" || words[0].startsWith("#")) continue;
    if (count++ === most) throw tooManyLines(where, most);
    yield { words, text, line, where };
  }
}

/**
 * Gives the lines of a text without empty ones and comments, one by one: if most are empty, a list of all lines is many times as large as
 * the text.
 */
export function* linesOf(list: string): Generator<{ readonly text: string; readonly line: number }> {
  for (let from = 0, line = 1; from < list.length; line++) {
    for (; list.charCodeAt(from) === NEWLINE; from++) line++;
    const found = list.indexOf("\n", from);
    const end = found < 0 ? list.length : found;
    if (list[from] !== "#" && end > from) yield { text: list.slice(from, end), line };
    from = end + 1;
  }
}

/**
 * The time in seconds with which a line begins, also as ticks of 100 ns; `word` is the line's first. Throws a `SourceError` that quotes the
 * line for any other word.
 */
export function readTime(word: string, line: string, where: string): number {
  const seconds = Number(word) * (TICKS.test(word) ? TICK_MS / 1000 : 1);
  if (word === "" || !isTime(seconds)) throw malformed(where, "a time in seconds comes first", line);
  return seconds;
}

export const isTime = (seconds: number): boolean => Math.abs(seconds) <= LATEST;

export function readImage(words: string[], where: string): string {
  const name = words.length === 1 ? safeName(words[0], where) : undefined;
  if (name === undefined) throw malformed(where, "a time and the name of an image are expected", words.join(" "));
  return name;
}

export function readPose(words: string[], where: string): Pose {
  const [tx, ty, tz, qx, qy, qz, qw] = words.map(Number);
  const length = Math.hypot(qx, qy, qz, qw);
  if (words.length !== 7 || ![tx, ty, tz].every(Number.isFinite) || !(length > 0 && length < 1e9))
    throw malformed(where, "a time, tx ty tz and qx qy qz qw are expected", words.join(" "));
  const rotation = rotationOf(qx / length, qy / length, qz / length, qw / length);
  return matrixOf({ rotation, translation: [tx, ty, tz] });
}

const malformed = (where: string, expected: string, found: string) =>
  new SourceError(
    `${where}: ${expected}, not ${JSON.stringify(found.trim().slice(0, 60))}; correct or remove the line`,
  );

/** Names of images that are times in seconds, as the benchmark's are. */
const STAMPED = /^\d{1,12}\.\d{4,9}\.png$/i;

/** The folders called `folder` all of whose PNGs have times for names. */
export function stampedFolders(names: readonly string[], folder: string): string[] {
  const stamped = new Map<string, boolean>();
  for (const name of names) {
    const place = folderOf(name);
    if (!isPng(name) || !(place === folder || place.endsWith(`/${folder}`))) continue;
    stamped.set(place, STAMPED.test(baseOf(name)) && stamped.get(place) !== false);
  }
  return [...stamped].filter(([, all]) => all).map(([place]) => place);
}

/** The images of a folder at the times that their names give, sorted by time. */
export function imagesIn(names: readonly string[], folder: string): Line<string>[] {
  if (!stampedFolders(names, folder).includes(folder)) return [];
  const images = names.filter((name) => folderOf(name) === folder && isPng(name));
  const lines = images.map((value) => ({ seconds: Number.parseFloat(baseOf(value)), value, line: undefined }));
  return lines.sort((a, b) => a.seconds - b.seconds);
}
