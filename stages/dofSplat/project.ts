import type { DepthArray } from "../../sources/core/frame.ts";
import type { CpuPoints } from "../core/stage.ts";
import { f, less, more } from "./camera.ts";
import {
  ACROSS,
  ACROSS_X,
  ACROSS_Y,
  ALONG,
  ALONG_X,
  ALONG_Y,
  BLUE,
  DISTANCE,
  FAR,
  FIELDS,
  FIRST,
  GREEN,
  LAST,
  LAST_COLUMN,
  LAST_ROW,
  NEAR,
  PEAK,
  RED,
  SLOPE,
  TILE_BITS,
  X,
  Y,
} from "./layout.ts";
import { linear } from "./light.ts";
import { shape } from "./patch.ts";
import { runAt, toView } from "./runs.ts";

/** The splats that touch the picture, in the order of their points: `FIELDS` numbers each (see layout.ts), also readable as words. */
export interface Splats {
  readonly floats: Float32Array;
  readonly words: Int32Array;
  /** The tiles that each splat touches: first and last column and row, x0 | y0 << 8 | x1 << 16 | y1 << 24. */
  readonly tiles: Int32Array;
}

export function newSplats(capacity: number): Splats {
  const floats = new Float32Array(capacity * FIELDS);
  return { floats, words: new Int32Array(floats.buffer), tiles: new Int32Array(capacity) };
}

/** Writes the splats of all points and returns how many there are. `camera` has the numbers that camera.ts writes. */
export function projectAll(
  points: CpuPoints,
  depth: DepthArray,
  camera: Float32Array,
  thin: number,
  splats: Splats,
): number {
  let visible = 0;
  for (let i = 0; i < points.count; i++) {
    visible += Number(project(points, i, depth, camera, thin, splats, visible));
  }
  return visible;
}

/** Writes the splat of the point `i`, as the splat `n`, if it touches the picture. Returns whether it does. */
export function project(
  points: CpuPoints,
  i: number,
  depth: DepthArray,
  camera: Float32Array,
  thin: number,
  { floats, words, tiles }: Splats,
  n: number,
): boolean {
  const run = runAt(points, i, camera, thin);
  if (run.count === 0) return false;
  const view = toView(camera, run.place);
  const splat = shape(run, view, depth, camera);
  const [lastColumn, lastRow] = [camera[LAST_COLUMN], camera[LAST_ROW]];
  const [left, top] = [Math.ceil(f(splat.x - splat.reachX)), Math.ceil(f(splat.y - splat.reachY))];
  const [right, bottom] = [Math.floor(f(splat.x + splat.reachX)), Math.floor(f(splat.y + splat.reachY))];
  // Written so that NaN fails.
  const inColumns = left <= lastColumn && right >= 0 && left <= right;
  const inRows = top <= lastRow && bottom >= 0 && top <= bottom;
  if (!(view.z >= NEAR && inColumns && inRows)) return false;
  const o = n * FIELDS;
  floats[o + X] = splat.x;
  floats[o + Y] = splat.y;
  floats[o + ALONG] = splat.reachAlong;
  floats[o + ACROSS] = splat.reachAcross;
  floats[o + ALONG_X] = splat.alongX;
  floats[o + ALONG_Y] = splat.alongY;
  floats[o + ACROSS_X] = splat.acrossX;
  floats[o + ACROSS_Y] = splat.acrossY;
  floats[o + PEAK] = splat.peak;
  floats[o + DISTANCE] = less(view.z, FAR);
  floats[o + SLOPE] = splat.slope;
  [floats[o + RED], floats[o + GREEN], floats[o + BLUE]] = linear(run.colour);
  const [x0, y0, x1, y1] = [more(left, 0), more(top, 0), less(right, lastColumn), less(bottom, lastRow)];
  words[o + FIRST] = x0 | (y0 << 16);
  words[o + LAST] = x1 | (y1 << 16);
  const firstTile = (x0 >> TILE_BITS) | ((y0 >> TILE_BITS) << 8);
  const lastTile = (x1 >> TILE_BITS) | ((y1 >> TILE_BITS) << 8);
  tiles[n] = firstTile | (lastTile << 16);
  return true;
}
