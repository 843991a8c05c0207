import type { CpuPoints } from "../core/stage.ts";
import { f, less, more } from "./camera.ts";
import {
  BLUR,
  EDGE,
  INVERSE_FOCUS,
  LONGEST_RUN,
  MAX_REACH,
  MOST,
  RUN_OF_2,
  RUN_OF_4,
  SENSOR_CENTRE_X,
  SENSOR_CENTRE_Y,
  SENSOR_X,
  SENSOR_Y,
  ZOOM,
} from "./layout.ts";
import { encoded, linear } from "./light.ts";

/** A position, m. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The points that one splat stands for. */
export interface Run {
  /** Mean position, and that of the first point, in the sensor's frame. */
  readonly place: Place;
  readonly first: Place;
  /** Number of points; 0 if the point belongs to another run. */
  readonly count: number;
  /** Mean colour; the highest byte is not used. */
  readonly colour: number;
}

/** The run that begins with the point `i`. Points whose pixel has a bit of `thin` are not drawn. */
export function runAt(points: CpuPoints, i: number, camera: Float32Array, thin: number): Run {
  const first = placeOf(points, i);
  const colour = points.words[4 * i + 3];
  const pixel = pixelOf(camera, first);
  const length = lengthAt(camera, first);
  if ((pixel & thin) !== 0) return { place: first, first, count: 0, colour };
  const by = (((columnOf(pixel) % length) + length) % length) | 0;
  if (by > 0) {
    const isMember = by <= i && follows(camera, first, placeOf(points, i - by), by, length);
    return { place: first, first, count: isMember ? 0 : 1, colour };
  }
  let { x, y, z } = first;
  let count = 1;
  let [red, green, blue] = linear(colour);
  for (let step = 1; step < MOST && length > 1; step++) {
    if (i + step >= points.count) break;
    const next = placeOf(points, i + step);
    if (!follows(camera, next, first, step, length)) continue;
    const [nextRed, nextGreen, nextBlue] = linear(points.words[4 * (i + step) + 3]);
    [x, y, z] = [f(x + next.x), f(y + next.y), f(z + next.z)];
    [red, green, blue] = [f(red + nextRed), f(green + nextGreen), f(blue + nextBlue)];
    count++;
  }
  if (count === 1) return { place: first, first, count, colour };
  const place = { x: f(x / count), y: f(y / count), z: f(z / count) };
  const mean = encoded(f(red / count)) | (encoded(f(green / count)) << 8) | (encoded(f(blue / count)) << 16);
  return { place, first, count, colour: mean };
}

const placeOf = ({ floats }: CpuPoints, i: number): Place => ({
  x: floats[4 * i],
  y: floats[4 * i + 1],
  z: floats[4 * i + 2],
});

/** Whether a point belongs to the run of the point `leader`, `by` columns to its left. */
const follows = (camera: Float32Array, point: Place, leader: Place, by: number, length: number): boolean =>
  by < length &&
  pixelOf(camera, point) === pixelOf(camera, leader) + by &&
  lengthAt(camera, point) === length &&
  lengthAt(camera, leader) === length &&
  Math.abs(f(point.z - leader.z)) < f(f(EDGE) * leader.z);

/** How many points a run may have at this point. Written so that NaN gives 1. */
function lengthAt(camera: Float32Array, point: Place): number {
  const distance = toView(camera, point).z;
  const size = more(f(f(camera[ZOOM] * point.z) / distance), 1);
  const r = f(less(radiusAt(camera, distance), camera[MAX_REACH]) / size);
  return r >= f(RUN_OF_2) ? less(r >= f(RUN_OF_4) ? 4 : 2, camera[LONGEST_RUN]) : 1;
}

export const radiusAt = (camera: Float32Array, distance: number): number =>
  f(camera[BLUR] * Math.abs(f(camera[INVERSE_FOCUS] - f(1 / distance))));

export function toView(camera: Float32Array, { x, y, z }: Place): Place {
  const row = (r: number) => f(f(f(f(camera[r] * x) + f(camera[4 + r] * y)) + f(camera[8 + r] * z)) + camera[12 + r]);
  return { x: row(0), y: row(1), z: row(2) };
}

/** The pixel of the depth image that a point comes from: row · 65536 + column. */
export function pixelOf(camera: Float32Array, { x, y, z }: Place): number {
  const rounded = (place: number) => less(more(-32768, Math.floor(f(place + 0.5))), 32767);
  const column = rounded(f(f(f(x / z) * camera[SENSOR_X]) + camera[SENSOR_CENTRE_X]));
  const row = rounded(f(f(f(y / z) * camera[SENSOR_Y]) + camera[SENSOR_CENTRE_Y]));
  return ((row << 16) + column) | 0;
}

/** The column of a pixel. */
export const columnOf = (pixel: number): number => (pixel << 16) >> 16;
