import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import ndarray from "ndarray";
import type { Pose } from "../../sources/format/format.ts";
import type { DepthFrame } from "../../sources/index.ts";
import { eachFrame, TIMES, writeTime } from "../../write/frames.ts";
import { Folder, type Writable, type WriteOptions, writePngFolder, writeTum } from "../../write/index.ts";
import { pointsPcd } from "../../write/plain.ts";
import { pointsPly } from "../../write/ply.ts";
import type { Kind } from "./kinds.ts";

/** Writes a recording into a folder, after the `done` frames already there. Returns the number of frames then there. */
export type WriteFolder = (recording: Writable, path: string, options: WriteOptions) => Promise<number>;

/** Writes the points of each frame into a file of their own, and its time and pose into `times.csv`. */
function writePoints(extension: "ply" | "pcd", encode: (frame: DepthFrame, pose?: Pose) => Uint8Array): WriteFolder {
  return async (recording, path, options) => {
    const folder = await Folder.resume(path);
    return eachFrame(recording, options, async (frame, position) => {
      const name = `points/${String(position).padStart(6, "0")}.${extension}`;
      await folder.write(name, encode(frame, await recording.pose?.(frame.index)));
      await writeTime(folder, recording, frame, position);
    });
  };
}

export const writers: Readonly<Record<Exclude<Kind, "mcap" | "zip" | "lerobot">, WriteFolder>> = {
  tum: async (recording, path, options) => writeTum(recording, await Folder.resume(path), options),
  png: async (recording, path, options) => writePngFolder(recording, await Folder.resume(path), options),
  npy: async (recording, path, options) => writePngFolder(recording, await Folder.resume(path), options, "npy"),
  tiff: async (recording, path, options) => writePngFolder(recording, await Folder.resume(path), options, "tiff"),
  ply: writePoints("ply", (frame) => pointsPly(pointsOf(frame))),
  pcd: writePoints("pcd", pointsPcd),
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
  const linesOf = (name: string) => linesIn(join(path, name));
  const depth = (await linesOf("depth.txt")) ?? [];
  const isFrame = (line: string) => !line.startsWith("#");
  const last = Number(depth.findLast(isFrame)?.split(" ")[0] ?? -Infinity);
  for (const name of ["depth.txt", "rgb.txt", "groundtruth.txt"]) {
    const lines = await linesOf(name);
    if (!lines) continue;
    const kept = lines.filter((line) => !isFrame(line) || Number(line.split(" ")[0]) <= last);
    if (depth.some(isFrame)) await writeFile(join(path, name), kept.map((line) => `${line}\n`).join(""));
    else await rm(join(path, name));
  }
  return depth.filter(isFrame).length;
}

/** The valid pixels' points in the sensor's frame, in metres, with their colours; grey where there is no colour. */
function pointsOf({ depth, metresPerUnit, intrinsics, color }: DepthFrame) {
  const { fx, fy, cx, cy, width, height } = intrinsics;
  const points = new Float32Array(4 * depth.data.length);
  const words = new Uint32Array(points.buffer);
  let count = 0;
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const z = depth.data[i] * metresPerUnit;
      if (z === 0) continue;
      const at = 4 * count++;
      points[at] = ((x - cx) * z) / fx;
      points[at + 1] = ((y - cy) * z) / fy;
      points[at + 2] = z;
      const rgba = color?.data;
      words[at + 3] = rgba ? rgba[4 * i] | (rgba[4 * i + 1] << 8) | (rgba[4 * i + 2] << 16) : GREY;
    }
  }
  return ndarray(points.subarray(0, 4 * count), [count, 4]);
}

const GREY = 0xb0b0b0;
