import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TIMES } from "../../write/frames.ts";
import { Folder, type Writable, type WriteOptions, writePngFolder, writePoints, writeTum } from "../../write/index.ts";
import { timesIn } from "../../write/tum.ts";
import type { Kind } from "./kinds.ts";

/** Writes a recording into a folder, after the `done` frames already there. Returns the number of frames then there. */
type WriteFolder = (recording: Writable, path: string, options: WriteOptions) => Promise<number>;

export const writers: Readonly<Record<Exclude<Kind, "mcap" | "zip" | "lerobot">, WriteFolder>> = {
  tum: async (recording, path, options) => writeTum(recording, await Folder.resume(path), options),
  png: async (recording, path, options) => writePngFolder(recording, await Folder.resume(path), options),
  npy: async (recording, path, options) =>
    writePngFolder(recording, await Folder.resume(path), { ...options, images: "npy" }),
  tiff: async (recording, path, options) =>
    writePngFolder(recording, await Folder.resume(path), { ...options, images: "tiff" }),
  ply: async (recording, path, options) => writePoints(recording, await Folder.resume(path), options),
  pcd: async (recording, path, options) =>
    writePoints(recording, await Folder.resume(path), { ...options, format: "pcd" }),
};

/** The number of complete frames in an unfinished folder. A row in times.csv is written after everything else of its frame. */
export async function framesIn(kind: keyof typeof writers, path: string): Promise<number> {
  if (kind === "tum") return tidyTum(path);
  const [head, ...rows] = (await linesIn(join(path, TIMES))) ?? [];
  if (head !== undefined) await writeFile(join(path, TIMES), [head, ...rows].map((line) => `${line}\n`).join(""));
  return rows.length;
}

/** The lines of a file, without an incomplete last one, which lacks its line end; `undefined` where there is no such file. */
const linesIn = async (path: string) => (await readFile(path, "utf8").catch(() => undefined))?.split("\n").slice(0, -1);

/** A line in depth.txt is written after everything else of its frame; the other lists may be a line ahead. */
async function tidyTum(path: string): Promise<number> {
  const times = await timesIn(path);
  for (const name of ["depth.txt", "rgb.txt", "groundtruth.txt"]) {
    const lines = await linesIn(join(path, name));
    if (!lines) continue;
    const kept = lines.filter((line) => line.startsWith("#") || times.has(line.split(" ")[0]));
    if (times.size > 0) await writeFile(join(path, name), kept.map((line) => `${line}\n`).join(""));
    else await rm(join(path, name));
  }
  return times.size;
}
