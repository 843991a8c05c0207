import type { CpuPoints } from "../core/stage.ts";
import { toEncoded, toLinear } from "./camera.ts";
import {
  BLUR,
  EDGE,
  FIRST_Z,
  INVERSE_FOCUS,
  LONGEST_RUN,
  MAX_REACH,
  MEAN_COLOUR,
  MEAN_X,
  MEAN_Y,
  MEAN_Z,
  MOST,
  PIXEL,
  POINTS,
  RUN_DISTANCE,
  RUN_FIELDS,
  RUN_OF_2,
  RUN_OF_4,
  SENSOR_CENTRE_X,
  SENSOR_CENTRE_Y,
  SENSOR_X,
  SENSOR_Y,
  TABLE_STEPS,
  ZOOM,
} from "./layout.ts";
import { f, less, more } from "./view.ts";

/** What is known of each point; what each splat stands for. As assembly/runs.ts has them. */
export interface Runs {
  /** Distance from the view, metres. */
  readonly distances: Float32Array;
  /** The pixel of the depth image that a point came from, row · 65536 + column. */
  readonly pixels: Int32Array;
  /** How many points a run may have where each of them is. */
  readonly lengths: Int32Array;
  /** `RUN_FIELDS` numbers a run, in the order of their first points. The same memory as words. */
  readonly floats: Float32Array;
  readonly words: Int32Array;
}

export function newRuns(capacity: number): Runs {
  const floats = new Float32Array(capacity * RUN_FIELDS);
  return {
    distances: new Float32Array(capacity),
    pixels: new Int32Array(capacity),
    lengths: new Int32Array(capacity),
    floats,
    words: new Int32Array(floats.buffer),
  };
}

/** Writes what is known of each point. */
export function measure({ floats, count }: CpuPoints, view: Float32Array, runs: Runs): void {
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [floats[4 * i], floats[4 * i + 1], floats[4 * i + 2]];
    const distance = toView(view, x, y, z);
    runs.distances[i] = distance;
    runs.lengths[i] = lengthAt(view, z, distance);
    const column = pixelOf(x, z, view[SENSOR_X], view[SENSOR_CENTRE_X]);
    runs.pixels[i] = (pixelOf(y, z, view[SENSOR_Y], view[SENSOR_CENTRE_Y]) << 16) + column;
  }
}

/** The bits that are 0 in the `pixels` of points that are drawn. */
export const thinBits = (thinning: number): number => (thinning - 1) * 0x10001;

/** Finds the points of a row that become one splat: see shaders/dofSplat/project.wgsl. Returns how many runs there are. */
export function gather(points: CpuPoints, view: Float32Array, thinning: number, runs: Runs): number {
  const thin = thinBits(thinning);
  let found = 0;
  for (let i = 0; i < points.count; i++) {
    if ((runs.pixels[i] & thin) === 0) found += Number(runAt(points, i, view, runs, found));
  }
  return found;
}

/** Writes the run that begins with a point, the `n`-th. Returns whether there is one: another's run may have the point. */
function runAt({ floats, words, count }: CpuPoints, i: number, view: Float32Array, runs: Runs, n: number): boolean {
  const { distances, pixels, lengths } = runs;
  const length = lengths[i];
  const column = (pixels[i] << 16) >> 16;
  const by = ((column % length) + length) % length;
  if (by > 0 && by <= i && follows(floats, runs, i, i - by, by, length)) return false;
  let [x, y, z, colour] = [floats[4 * i], floats[4 * i + 1], floats[4 * i + 2], words[4 * i + 3]];
  let distance = distances[i];
  let members = 1;
  if (by === 0 && length > 1) {
    let [red, green, blue] = linear(colour);
    for (let step = 1; step < MOST; step++) {
      const next = i + step;
      if (next >= count || !follows(floats, runs, next, i, step, length)) continue;
      const light = linear(words[4 * next + 3]);
      x = f(x + floats[4 * next]);
      y = f(y + floats[4 * next + 1]);
      z = f(z + floats[4 * next + 2]);
      red = f(red + light[0]);
      green = f(green + light[1]);
      blue = f(blue + light[2]);
      members++;
    }
    if (members > 1) {
      x = f(x / members);
      y = f(y / members);
      z = f(z / members);
      distance = toView(view, x, y, z);
      colour = encoded(f(red / members)) | (encoded(f(green / members)) << 8) | (encoded(f(blue / members)) << 16);
    }
  }
  const o = n * RUN_FIELDS;
  runs.floats[o + MEAN_X] = x;
  runs.floats[o + MEAN_Y] = y;
  runs.floats[o + MEAN_Z] = z;
  runs.words[o + MEAN_COLOUR] = colour;
  runs.floats[o + RUN_DISTANCE] = distance;
  runs.words[o + PIXEL] = pixels[i];
  runs.floats[o + POINTS] = members;
  runs.floats[o + FIRST_Z] = floats[4 * i + 2];
  return true;
}

/** Whether a point is in the run of the point `leader`, `by` columns to its left. */
const follows = (
  floats: Float32Array,
  { pixels, lengths }: Runs,
  point: number,
  leader: number,
  by: number,
  length: number,
): boolean =>
  by < length &&
  lengths[point] === length &&
  lengths[leader] === length &&
  pixels[point] === pixels[leader] + by &&
  Math.abs(f(floats[4 * point + 2] - floats[4 * leader + 2])) < f(f(EDGE) * floats[4 * leader + 2]);

/** How many points a run may have where this one is. Written so that NaN gives 1. */
function lengthAt(view: Float32Array, z: number, distance: number): number {
  const size = more(f(f(view[ZOOM] * z) / distance), 1);
  const r = f(less(radiusAt(view, distance), view[MAX_REACH]) / size);
  return r >= f(RUN_OF_2) ? less(r >= f(RUN_OF_4) ? 4 : 2, view[LONGEST_RUN]) : 1;
}

const radiusAt = (view: Float32Array, distance: number): number =>
  f(view[BLUR] * Math.abs(f(view[INVERSE_FOCUS] - f(1 / distance))));

/** The distance from the view. */
const toView = (view: Float32Array, x: number, y: number, z: number): number =>
  f(f(f(f(view[2] * x) + f(view[6] * y)) + f(view[10] * z)) + view[14]);

/** The column of the depth image that a point came from, or its row. */
function pixelOf(x: number, z: number, focal: number, centre: number): number {
  const place = Math.floor(f(f(f(f(x / z) * focal) + centre) + 0.5));
  return less(more(-32768, place), 32767);
}

/** A colour's light: red, green, blue. */
const linear = (colour: number): readonly [number, number, number] => [
  LIGHT[colour & 255],
  LIGHT[(colour >>> 8) & 255],
  LIGHT[(colour >>> 16) & 255],
];

/** The sRGB byte of linear light, exactly but without a power: the table's is not too large, and mostly right. */
function encoded(light: number): number {
  let byte = BYTES[Math.trunc(f(light * TABLE_STEPS))];
  while (light >= ENDS[byte]) byte++;
  return byte;
}

/** The light of each sRGB byte, and where the light ends that is rounded to it. */
export const LIGHT = Float32Array.from({ length: 256 }, (_, byte) => toLinear(byte / 255));
export const ENDS = Float32Array.from({ length: 256 }, (_, byte) => toLinear((byte + 0.5) / 255));
/** The byte of the least light of each 4095th. */
export const BYTES = Uint8Array.from({ length: TABLE_STEPS + 1 }, (_, k) =>
  Math.round(toEncoded(k / TABLE_STEPS) * 255),
);
