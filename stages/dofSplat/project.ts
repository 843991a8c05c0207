import type { DepthArray } from "../../sources/core/frame.ts";
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
  FIRST_Z,
  GREEN,
  LAST,
  LAST_COLUMN,
  LAST_ROW,
  MEAN_COLOUR,
  MEAN_X,
  MEAN_Y,
  MEAN_Z,
  NEAR,
  PEAK,
  PIXEL,
  POINTS,
  RED,
  RUN_DISTANCE,
  RUN_FIELDS,
  SLOPE,
  TILE_BITS,
  X,
  Y,
} from "./layout.ts";
import { LIGHT, type Runs } from "./runs.ts";
import { newPlace, type Place, shape } from "./shape.ts";
import { f, less, more } from "./view.ts";

/** `FIELDS` numbers a splat, those that touch the picture, in the order of their points. The same memory as words. */
export interface Splats {
  readonly floats: Float32Array;
  readonly words: Int32Array;
  /** The tiles that each touches: first and last column and row, x0 | y0 << 8 | x1 << 16 | y1 << 24. */
  readonly tiles: Int32Array;
  /** The bits of each one's distance: of floats that are not negative they are in the same order as they. */
  readonly keys: Uint32Array;
  /** That of the run that is on its way. */
  readonly place: Place;
}

export function newSplats(capacity: number): Splats {
  const floats = new Float32Array(capacity * FIELDS);
  return {
    floats,
    words: new Int32Array(floats.buffer),
    tiles: new Int32Array(capacity),
    keys: new Uint32Array(capacity),
    place: newPlace(),
  };
}

/** Takes each run to the picture and writes the splats of those that touch it. Returns how many do. */
export function project(depth: DepthArray, count: number, runs: Runs, view: Float32Array, splats: Splats): number {
  const it = splats.place;
  let visible = 0;
  for (let n = 0; n < count; n++) {
    const o = n * RUN_FIELDS;
    it.meanX = runs.floats[o + MEAN_X];
    it.meanY = runs.floats[o + MEAN_Y];
    it.z = runs.floats[o + MEAN_Z];
    it.distance = runs.floats[o + RUN_DISTANCE];
    it.members = runs.floats[o + POINTS];
    it.pixel = runs.words[o + PIXEL];
    it.firstZ = runs.floats[o + FIRST_Z];
    shape(it, depth, view);
    visible += Number(write(it, runs.words[o + MEAN_COLOUR], visible, view, splats));
  }
  return visible;
}

/** Writes a splat, the `n`-th, if it touches the picture. */
function write(it: Place, colour: number, n: number, view: Float32Array, splats: Splats): boolean {
  const [lastColumn, lastRow] = [view[LAST_COLUMN], view[LAST_ROW]];
  const left = Math.ceil(f(it.x - it.reachX));
  const top = Math.ceil(f(it.y - it.reachY));
  const right = Math.floor(f(it.x + it.reachX));
  const bottom = Math.floor(f(it.y + it.reachY));
  // Written so that NaN fails.
  const inColumns = left <= lastColumn && right >= 0 && left <= right;
  const inRows = top <= lastRow && bottom >= 0 && top <= bottom;
  if (!(it.distance >= NEAR && inColumns && inRows)) return false;
  const { floats, words, tiles, keys } = splats;
  const s = n * FIELDS;
  floats[s + X] = it.x;
  floats[s + Y] = it.y;
  floats[s + ALONG] = it.reachAlong;
  floats[s + ACROSS] = it.reachAcross;
  floats[s + ALONG_X] = f(it.axisX * it.perAlong);
  floats[s + ALONG_Y] = f(it.axisY * it.perAlong);
  floats[s + ACROSS_X] = -f(it.axisY * it.perAcross);
  floats[s + ACROSS_Y] = f(it.axisX * it.perAcross);
  floats[s + PEAK] = it.peak;
  floats[s + DISTANCE] = less(it.distance, FAR);
  floats[s + RED] = LIGHT[colour & 255];
  floats[s + GREEN] = LIGHT[(colour >>> 8) & 255];
  floats[s + BLUE] = LIGHT[(colour >>> 16) & 255];
  floats[s + SLOPE] = it.slope;
  const [x0, y0, x1, y1] = [more(left, 0), more(top, 0), less(right, lastColumn), less(bottom, lastRow)];
  words[s + FIRST] = x0 | (y0 << 16);
  words[s + LAST] = x1 | (y1 << 16);
  const [firstTile, lastTile] = [
    (x0 >> TILE_BITS) | ((y0 >> TILE_BITS) << 8),
    (x1 >> TILE_BITS) | ((y1 >> TILE_BITS) << 8),
  ];
  tiles[n] = firstTile | (lastTile << 16);
  keys[n] = words[s + DISTANCE];
  return true;
}
