import type { DepthArray } from "../../core/frame.ts";
import type { CpuPoints } from "../core/stage.ts";
import { blockAt } from "./blocks.ts";
import { f, less, more, type TwinCamera } from "./camera.ts";
import {
  ACROSS_X,
  ACROSS_Y,
  ALONG_X,
  ALONG_Y,
  BLUE,
  CPU_TILE_BITS,
  DISTANCE,
  FAR,
  FIELDS,
  FIRST,
  GREEN,
  LAST,
  NEAR,
  PEAK,
  REACH_ACROSS,
  REACH_ALONG,
  RED,
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

/** Writes the splats of all points and returns how many there are. */
export function projectAll(points: CpuPoints, depth: DepthArray, camera: TwinCamera, splats: Splats): number {
  let visible = 0;
  for (let i = 0; i < points.count; i++) {
    visible += Number(project(points, i, depth, camera, splats, visible));
  }
  return visible;
}

/** Writes the splat of the point `i`, as the splat `n`, if it touches the picture. Returns whether it does. */
function project(
  points: CpuPoints,
  i: number,
  depth: DepthArray,
  camera: TwinCamera,
  { floats, words, tiles }: Splats,
  n: number,
): boolean {
  const run = camera.thinning === 1 ? runAt(points, i, camera) : blockAt(points, i, depth, camera);
  if (run.count === 0) return false;
  const view = toView(run.place, camera);
  const splat = shape(run, view, depth, camera);
  const { x: centreX, y: centreY, reachX, reachY } = splat;
  const firstX = more(Math.ceil(f(centreX - reachX)), 0);
  const firstY = more(Math.ceil(f(centreY - reachY)), 0);
  const lastX = less(Math.floor(f(centreX + reachX)), camera.last[0]);
  const lastY = less(Math.floor(f(centreY + reachY)), camera.last[1]);
  // Written so that NaN fails.
  if (!(view.z >= NEAR && firstX <= lastX && firstY <= lastY)) return false;
  const o = n * FIELDS;
  floats[o + X] = splat.x;
  floats[o + Y] = splat.y;
  floats[o + REACH_ALONG] = splat.reachAlong;
  floats[o + REACH_ACROSS] = splat.reachAcross;
  floats[o + ALONG_X] = splat.alongX;
  floats[o + ALONG_Y] = splat.alongY;
  floats[o + ACROSS_X] = splat.acrossX;
  floats[o + ACROSS_Y] = splat.acrossY;
  [floats[o + RED], floats[o + GREEN], floats[o + BLUE]] = linear(run.colour);
  floats[o + PEAK] = splat.peak;
  floats[o + DISTANCE] = less(view.z, FAR);
  words[o + FIRST] = firstX | (firstY << 16);
  words[o + LAST] = lastX | (lastY << 16);
  const firstTile = (firstX >> CPU_TILE_BITS) | ((firstY >> CPU_TILE_BITS) << 8);
  const lastTile = (lastX >> CPU_TILE_BITS) | ((lastY >> CPU_TILE_BITS) << 8);
  tiles[n] = firstTile | (lastTile << 16);
  return true;
}
