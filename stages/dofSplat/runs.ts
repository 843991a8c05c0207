import type { CpuPoints } from "../stage.ts";
import { toEncoded, toLinear } from "./camera.ts";
import {
  BLUR,
  f,
  INVERSE_FOCUS,
  LONGEST_RUN,
  less,
  MAX_REACH,
  more,
  SENSOR_CENTRE_X,
  SENSOR_CENTRE_Y,
  SENSOR_X,
  SENSOR_Y,
  ZOOM,
} from "./view.ts";

/** Neighbours are one surface if their distances differ by less than this share: no number that whole millimetres meet. */
export const EDGE = f(0.0203);
/** Points of a run, at most; and what a disc's radius must be for two of them and for four, in patches. */
const MOST = 4;
const RUN_OF_2 = f(2 * 1.52);
const RUN_OF_4 = f(4 * 1.52);

/** What is known of each point; what each splat stands for. As runs.wat has them. */
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

/** Mean place, metres in the sensor's frame, and colour; distance from the view; the first point's pixel; points; the first one's z. */
export const [MEAN_X, MEAN_Y, MEAN_Z, MEAN_COLOUR, RUN_DISTANCE, PIXEL, POINTS, FIRST_Z, RUN_FIELDS] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
];

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

/** Writes what is known of each point. Where it is no number a run has one. */
export function measure({ floats, count }: CpuPoints, view: Float32Array, runs: Runs): void {
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [floats[4 * i], floats[4 * i + 1], floats[4 * i + 2]];
    const distance = distanceOf(view, x, y, z);
    const patch = more(f(f(view[ZOOM] * z) / distance), 1);
    const radius = f(view[BLUR] * Math.abs(f(view[INVERSE_FOCUS] - f(1 / distance))));
    const r = f(less(radius, view[MAX_REACH]) / patch);
    runs.distances[i] = distance;
    runs.lengths[i] = r >= RUN_OF_2 ? less(r >= RUN_OF_4 ? 4 : 2, view[LONGEST_RUN]) : 1;
    const column = pixelOf(x, z, view[SENSOR_X], view[SENSOR_CENTRE_X]);
    runs.pixels[i] = (pixelOf(y, z, view[SENSOR_Y], view[SENSOR_CENTRE_Y]) << 16) + column;
  }
}

/** The column of the depth image that a point came from, or its row. */
function pixelOf(x: number, z: number, focal: number, centre: number): number {
  const place = Math.floor(f(f(f(f(x / z) * focal) + centre) + 0.5));
  return less(more(-32768, place), 32767);
}

const distanceOf = (view: Float32Array, x: number, y: number, z: number): number =>
  f(f(f(f(view[2] * x) + f(view[6] * y)) + f(view[10] * z)) + view[14]);

/** Finds the points of a row that become one splat: see shaders/dofSplat/project.wgsl. Returns how many runs there are. */
export function gather(points: CpuPoints, view: Float32Array, thinning: number, runs: Runs): number {
  const { floats, words, count } = points;
  const { distances, pixels, lengths } = runs;
  const thin = thinBits(thinning);
  let found = 0;

  /** Whether a point is in the run of the point `leader`, `by` columns to its left. */
  const follows = (point: number, leader: number, by: number, length: number) =>
    by < length &&
    lengths[point] === length &&
    lengths[leader] === length &&
    pixels[point] === pixels[leader] + by &&
    Math.abs(f(floats[4 * point + 2] - floats[4 * leader + 2])) < f(EDGE * floats[4 * leader + 2]);

  for (let i = 0; i < count; i++) {
    if ((pixels[i] & thin) !== 0) continue;
    const length = lengths[i];
    const column = (pixels[i] << 16) >> 16;
    const by = ((column % length) + length) % length;
    // Another's run has it.
    if (by > 0 && by <= i && follows(i, i - by, by, length)) continue;
    let [x, y, z, colour] = [floats[4 * i], floats[4 * i + 1], floats[4 * i + 2], words[4 * i + 3]];
    let distance = distances[i];
    let members = 1;
    if (by === 0 && length > 1) {
      let [red, green, blue] = lightOf(colour);
      for (let step = 1; step < MOST; step++) {
        const next = i + step;
        if (next >= count || !follows(next, i, step, length)) continue;
        const light = lightOf(words[4 * next + 3]);
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
        distance = distanceOf(view, x, y, z);
        colour = byteOf(f(red / members)) | (byteOf(f(green / members)) << 8) | (byteOf(f(blue / members)) << 16);
      }
    }
    const o = found++ * RUN_FIELDS;
    runs.floats[o + MEAN_X] = x;
    runs.floats[o + MEAN_Y] = y;
    runs.floats[o + MEAN_Z] = z;
    runs.words[o + MEAN_COLOUR] = colour;
    runs.floats[o + RUN_DISTANCE] = distance;
    runs.words[o + PIXEL] = pixels[i];
    runs.floats[o + POINTS] = members;
    runs.floats[o + FIRST_Z] = floats[4 * i + 2];
  }
  return found;
}

/** The bits that are 0 in the `pixels` of points that are drawn. */
export const thinBits = (thinning: number): number => (thinning - 1) * 0x10001;

/** A colour's light: red, green, blue. */
const lightOf = (colour: number): readonly [number, number, number] => [
  LIGHT[colour & 255],
  LIGHT[(colour >>> 8) & 255],
  LIGHT[(colour >>> 16) & 255],
];

/** The sRGB byte of linear light, exactly but without a power: the table's is not too large, and mostly right. */
function byteOf(light: number): number {
  let byte = BYTES[Math.trunc(f(light * 4095))];
  while (light >= ENDS[byte]) byte++;
  return byte;
}

/** The light of each sRGB byte, and where the light ends that is rounded to it. */
export const LIGHT = Float32Array.from({ length: 256 }, (_, byte) => toLinear(byte / 255));
export const ENDS = Float32Array.from({ length: 256 }, (_, byte) => toLinear((byte + 0.5) / 255));
/** The byte of the least light of each 4095th. */
export const BYTES = Uint8Array.from({ length: 4096 }, (_, k) => Math.round(toEncoded(k / 4095) * 255));
