import type { Dirent } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { directDecoder } from "../../../sources/decode/index.ts";
import { type Files, isHidden } from "../../../sources/files/files.ts";
import { openPath } from "../../../sources/files/node.ts";
import { type Around, Visits } from "../../../sources/files/visits.ts";
import { naturally } from "../../../sources/recorded/color.ts";
import { HEAD_BYTES } from "../../../sources/recorded/containers.ts";
import { UntoldError } from "../../../sources/recorded/depthFile.ts";
import { isRecordingFile, isRecordingFolder } from "../../../sources/recorded/find.ts";
import { withArrays } from "../../../sources/recorded/series/arrays.ts";
import { depthSeriesIn } from "../../../sources/recorded/series/choose.ts";
import { firstImage } from "../../../sources/recorded/series/only.ts";

/** A file or folder that is worth opening as a recording. */
export interface Candidate {
  readonly path: string;
  /** The total size of its files in bytes, and their number. */
  readonly bytes: number;
  readonly files: number;
  /** Changes when one of the files is written again. */
  readonly stamp: string;
  /** The recording's topic or episode, where several recordings lie in the same files. */
  readonly topic?: string;
}

/** The finds of a walk through folders. */
interface Walked {
  readonly places: Candidate[];
  /** The number of files that are neither a recording nor part of one. */
  passed: number;
  /** One line about folders and links that were left out. */
  readonly leftOut?: string | undefined;
}

interface Named {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Finds the recordings at a path, in the order of their names. Folders of `skip` and hidden names are left out. */
export async function walk(path: string, skip: ReadonlySet<string>): Promise<Walked> {
  const walked: Walked = { places: [], passed: 0 };
  const visits = new Visits();
  const found = await stat(path);
  if (found.isDirectory()) await lookInto(path, skip, walked, visits);
  else walked.places.push(await placeOf(path));
  return { ...walked, leftOut: visits.told };
}

async function lookInto(
  path: string,
  skip: ReadonlySet<string>,
  walked: Walked,
  visits: Visits,
  outer?: Around,
): Promise<void> {
  if (skip.has(path)) return;
  const entered = await visits.enter(path, outer);
  if (!entered) return;
  const { around } = entered;
  const entries = await namesIn(path, entered.entries, visits);
  const files = entries.filter(({ isFolder }) => !isFolder).map(({ name }) => name);
  const inside = await openPath(path, LEVELS_OF_SERIES);
  if (!("list" in inside)) return;
  if (isRecordingFolder(await inside.list())) return void walked.places.push(await placeOf(path));
  const single: string[] = [];
  for (const name of files) {
    const { head, size } = await headOf(join(path, name));
    if (await isRecordingFile(name, size, head)) single.push(name);
  }
  const series = await seriesAt(inside);
  // One image beside recordings of one file is a picture of them, and arrays packed together belong to the images beside them.
  const isOwn = series.length > 0 && (single.length === 0 || series.some(({ names }) => names.length > 1));
  const apart = isOwn ? single.filter((name) => !/\.npz$/i.test(name)) : single;
  if (isOwn) {
    const place = await placeOf(path);
    const topics = series.length > 1 ? series.map(({ name }) => ({ topic: name })) : [{}];
    walked.places.push(...topics.map((topic) => ({ ...place, ...topic })));
    for (const name of apart) walked.places.push(await placeOf(join(path, name)));
    return;
  }
  walked.passed += files.length - single.length;
  for (const { name, isFolder } of entries) {
    if (isFolder) await lookInto(join(path, name), skip, walked, visits, around);
    else if (single.includes(name)) walked.places.push(await placeOf(join(path, name)));
  }
}

/** A recording's folder has its images at most this many levels of folders below it: "cam0/data/1.png", "depth/0001/depth.png". */
const LEVELS_OF_SERIES = 2;

/** The depth series of a recording that begins in this folder; none where its recordings lie further down. */
async function seriesAt(files: Files) {
  const all = await withArrays(files);
  const { series, isDepth } = await depthSeriesIn(all);
  const here = series.filter(({ root }) => root === "");
  return isDepth || (here.length > 0 && (await isCoded(all, here[0].names))) ? here : [];
}

/** Whether colour images hold depth in their bytes, or would if something named the program that packed it; opening then says so. */
async function isCoded(files: Files, names: readonly string[]): Promise<boolean> {
  try {
    const found = await firstImage(files, naturally(names), directDecoder());
    return "image" in found;
  } catch (error) {
    return error instanceof UntoldError;
  }
}

/** The names in a folder, sorted by their characters' codes, so that every machine has them in the same order. */
async function namesIn(path: string, entries: readonly Dirent[], visits: Visits): Promise<Named[]> {
  const seen = entries.filter(({ name }) => !isHidden(name));
  const kinds = await Promise.all(seen.map((entry) => visits.kindOf(path, entry)));
  return seen
    .map(({ name }, i) => ({ name, isFolder: kinds[i].isDirectory(), isFile: kinds[i].isFile() }))
    .filter(({ isFolder, isFile }) => isFolder || isFile)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function headOf(path: string): Promise<{ readonly head: Uint8Array; readonly size: number }> {
  // If a file cannot be read but has a recording's name, the walk lists it as a recording, and its job fails with the reason.
  const file = await open(path).catch(() => undefined);
  if (!file) return { head: new Uint8Array(), size: 0 };
  try {
    const { bytesRead, buffer } = await file.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return { head: buffer.subarray(0, bytesRead), size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

/** A recording with the size and the newest change of its files. */
async function placeOf(path: string): Promise<Candidate> {
  const all = { bytes: 0, files: 0, newestMs: 0 };
  const add = async (at: string): Promise<void> => {
    const { size, mtimeMs } = await stat(at);
    all.bytes += size;
    all.files++;
    all.newestMs = Math.max(all.newestMs, mtimeMs);
  };
  const visits = new Visits();
  const visit = async (folder: string, outer?: Around): Promise<void> => {
    const { around, entries = [] } = (await visits.enter(folder, outer)) ?? {};
    for (const { name, isFolder } of await namesIn(folder, entries, visits))
      await (isFolder ? visit(join(folder, name), around) : add(join(folder, name)));
  };
  await ((await stat(path)).isDirectory() ? visit(path) : add(path));
  const { bytes, files, newestMs } = all;
  return { path, bytes, files, stamp: `${bytes} ${files} ${newestMs}` };
}
