import { type OpenOptions, openRecording } from "../../sources/index.ts";
import { type Contents, depthPng, depthValues, type useFolder } from "./fixtures.ts";

/** A lens, its matrix by rows, and the matrix of a place on the x axis. */
export const lens = { fx: 9, fy: 9.5, cx: 3.25, cy: 2.25 };
export const K = [lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1];
export const matrixOf = (f: number, cx: number, cy: number) => [
  [f, 0, cx],
  [0, f, cy],
  [0, 0, 1],
];
export const placeAt = (x: number): number[] => [1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Depth images of `count` frames, each under the name that `nameOf` gives it. */
export const depths = (count: number, nameOf: (i: number) => string): Contents =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [nameOf(i), depthPng(depthValues(i))]));
/** Files of `count` frames. */
export const many = (count: number, fileOf: (i: number) => [string, Uint8Array | string]): Contents =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => fileOf(i)));

/** Opens a file from memory. */
export const openBytes = (name: string, bytes: Uint8Array, options: OpenOptions = {}) =>
  openRecording(new File([Uint8Array.from(bytes)], name), options);

/** Opens a folder of `contents`, called `name`, and reads everything. */
export async function opened(
  disk: ReturnType<typeof useFolder>,
  contents: Contents,
  options: OpenOptions = {},
  name?: string,
) {
  const recording = await openRecording(disk.folder(contents, name), options);
  const frames = [];
  const places: (readonly number[] | undefined)[] = [];
  for (let i = 0; i < recording.length; i++) {
    frames.push(await recording.read(i));
    places.push((await recording.pose(i))?.filter((_, at) => at === 3 || at === 7 || at === 11));
  }
  await recording.close();
  const told = recording.warnings.join("\n");
  const from = (what: string) => recording.facts.find((fact) => fact.what === what)?.from;
  return { ...recording, frames, places, told, from, depth: frames.map(({ depth }) => depth.data[9]) };
}
