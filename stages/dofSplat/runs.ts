import type { CpuPoints } from "../core/stage.ts";
import { f, less, more, type TwinCamera } from "./camera.ts";
import { EDGE, MOST, RUN_RADIUS } from "./layout.ts";
import { encoded, linear } from "./light.ts";

/** A position, m. */
export interface Position {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The points that one splat stands for. */
export interface Run {
  /** The points' mean position, in the sensor's frame. */
  readonly place: Position;
  /** The first point's. */
  readonly first: Position;
  /** Number of points; 0 if the point belongs to another run. */
  readonly count: number;
  /** Mean colour, without alpha. */
  readonly colour: number;
}

/** The run that begins with the point `i`. */
export function runAt(points: CpuPoints, i: number, camera: TwinCamera): Run {
  const place = placeOf(points, i);
  const run: Run = { place, first: place, count: 1, colour: points.words[4 * i + 3] & 0xffffff };
  const length = lengthAt(place, camera);
  if (length === 1) return run;
  const by = ((pixelOf(place, camera).x % length) + length) % length;
  if (by > 0) {
    const isMember = by <= i && follows(place, placeOf(points, i - by), by, length, camera);
    return { ...run, count: isMember ? 0 : 1 };
  }
  let { x, y, z } = place;
  let count = 1;
  let [red, green, blue] = linear(run.colour);
  for (let step = 1; step < MOST && i + step < points.count; step++) {
    const next = placeOf(points, i + step);
    if (!follows(next, place, step, length, camera)) continue;
    const [nextRed, nextGreen, nextBlue] = linear(points.words[4 * (i + step) + 3]);
    [x, y, z] = [f(x + next.x), f(y + next.y), f(z + next.z)];
    [red, green, blue] = [f(red + nextRed), f(green + nextGreen), f(blue + nextBlue)];
    count++;
  }
  if (count === 1) return run;
  const mean = encoded(f(red / count)) | (encoded(f(green / count)) << 8) | (encoded(f(blue / count)) << 16);
  return { place: { x: f(x / count), y: f(y / count), z: f(z / count) }, first: place, count, colour: mean };
}

export const placeOf = ({ floats }: CpuPoints, i: number): Position => ({
  x: floats[4 * i],
  y: floats[4 * i + 1],
  z: floats[4 * i + 2],
});

/** Whether a point belongs to the run of the point `leader`, `by` columns to its left. */
function follows(point: Position, leader: Position, by: number, length: number, camera: TwinCamera): boolean {
  const [own, first] = [pixelOf(point, camera), pixelOf(leader, camera)];
  return (
    by < length &&
    own.x === first.x + by &&
    own.y === first.y &&
    lengthAt(point, camera) === length &&
    lengthAt(leader, camera) === length &&
    Math.abs(f(point.z - leader.z)) < f(f(EDGE) * leader.z)
  );
}

/** How many points a run may have at this point. Written so that NaN gives 1. */
function lengthAt(point: Position, camera: TwinCamera): number {
  const distance = toView(point, camera).z;
  const size = more(f(f(camera.zoom * point.z) / distance), 1);
  const r = f(less(radiusAt(distance, camera), camera.maxReach) / size);
  const most = r >= f(4 * RUN_RADIUS) ? 4 : r >= f(2 * RUN_RADIUS) ? 2 : 1;
  return less(most, camera.longestRun);
}

export const radiusAt = (distance: number, camera: TwinCamera): number =>
  f(camera.blur * Math.abs(f(camera.inverseFocus - f(1 / distance))));

export function toView({ x, y, z }: Position, { pose }: TwinCamera): Position {
  const row = (r: number) => f(f(f(f(pose[r] * x) + f(pose[4 + r] * y)) + f(pose[8 + r] * z)) + pose[12 + r]);
  return { x: row(0), y: row(1), z: row(2) };
}

/** The pixel of the depth image that a point comes from. Its numbers fit 16 bits, in which the fast form keeps them. */
export function pixelOf({ x, y, z }: Position, { sensorFocal, sensorCentre }: TwinCamera) {
  const rounded = (place: number) => less(more(-32768, Math.floor(f(place + 0.5))), 32767);
  return {
    x: rounded(f(f(f(x / z) * sensorFocal[0]) + sensorCentre[0])),
    y: rounded(f(f(f(y / z) * sensorFocal[1]) + sensorCentre[1])),
  };
}
