import type { DepthArray } from "../../core/frame.ts";
import type { CpuPoints } from "../core/stage.ts";
import { f, less, more, type TwinCamera } from "./camera.ts";
import { EDGE, MOST, RUN_RADIUS } from "./layout.ts";
import { encoded, LIGHT, linear } from "./light.ts";

/** A position, m. What a function of the kernel returns, the twin's function writes to its first argument, which is made once. */
export interface Position {
  x: number;
  y: number;
  z: number;
}
export const newPosition = (): Position => ({ x: 0, y: 0, z: 0 });

/** What the kernel binds, and the position of a point that is compared with a run. */
export interface Bound {
  points: CpuPoints;
  depth: DepthArray;
  camera: TwinCamera;
  readonly place: Position;
}

/** The points that one splat stands for. */
export interface Run {
  /** The points' mean position, in the sensor's frame; their sum until all have joined. */
  readonly place: Position;
  /** The first point's. */
  readonly first: Position;
  /** Number of points; 0 if the point belongs to another run. */
  count: number;
  /** Mean colour, without alpha. */
  colour: number;
  /** The sum of the points' red, green and blue light. */
  readonly light: Float32Array;
}
export const newRun = (): Run => ({
  place: newPosition(),
  first: newPosition(),
  count: 0,
  colour: 0,
  light: new Float32Array(3),
});

/** Begins a run with the point `i` alone. */
export function begin(run: Run, i: number, { points }: Bound): void {
  placeOf(run.first, i, points);
  placeOf(run.place, i, points);
  run.count = 1;
  run.colour = points.words[4 * i + 3] & 0xffffff;
  linear(run.light, 0, run.colour);
}

/** Adds the point `i`, whose position is in `bound`, to the sums of a run. */
export function join({ place, light }: Run, i: number, { points, place: other }: Bound): void {
  place.x = f(place.x + other.x);
  place.y = f(place.y + other.y);
  place.z = f(place.z + other.z);
  const colour = points.words[4 * i + 3];
  for (let k = 0; k < 3; k++) light[k] += LIGHT[(colour >>> (8 * k)) & 255];
}

/** Turns the sums over the members of a run into means. */
export function average(run: Run, members: number): void {
  const { place, light } = run;
  place.x = f(place.x / members);
  place.y = f(place.y / members);
  place.z = f(place.z / members);
  for (let k = 0; k < 3; k++) light[k] /= members;
  run.colour = encoded(light[0]) | (encoded(light[1]) << 8) | (encoded(light[2]) << 16);
}

/** The run that begins with the point `i`. */
export function runAt(run: Run, i: number, bound: Bound): void {
  const { points, camera, place: other } = bound;
  const { first } = run;
  begin(run, i, bound);
  const length = lengthAt(first, camera);
  if (length === 1) return;
  const by = ((columnOf(first, camera) % length) + length) % length;
  if (by > 0) {
    placeOf(other, Math.max(i, by) - by, points);
    run.count = by <= i && follows(first, other, by, length, camera) ? 0 : 1;
    return;
  }
  for (let step = 1; step < MOST && i + step < points.count; step++) {
    placeOf(other, i + step, points);
    if (!follows(other, first, step, length, camera)) continue;
    join(run, i + step, bound);
    run.count++;
  }
  if (run.count > 1) average(run, run.count);
}

export function placeOf(place: Position, i: number, { floats }: CpuPoints): void {
  place.x = floats[4 * i];
  place.y = floats[4 * i + 1];
  place.z = floats[4 * i + 2];
}

/** Whether a point belongs to the run of the point `leader`, which lies `by` columns to its left. */
function follows(point: Position, leader: Position, by: number, length: number, camera: TwinCamera): boolean {
  return (
    by < length &&
    columnOf(point, camera) === columnOf(leader, camera) + by &&
    rowOf(point, camera) === rowOf(leader, camera) &&
    lengthAt(point, camera) === length &&
    lengthAt(leader, camera) === length &&
    Math.abs(f(point.z - leader.z)) < f(f(EDGE) * leader.z)
  );
}

/** How many points a run may have at this point. Written so that NaN gives 1. */
function lengthAt(point: Position, camera: TwinCamera): number {
  const distance = inView(2, point, camera);
  const size = more(f(f(camera.zoom * point.z) / distance), 1);
  const r = f(less(radiusAt(distance, camera), camera.maxReach) / size);
  const most = r >= f(4 * RUN_RADIUS) ? 4 : r >= f(2 * RUN_RADIUS) ? 2 : 1;
  return less(most, camera.longestRun);
}

export const radiusAt = (distance: number, camera: TwinCamera): number =>
  f(camera.blur * Math.abs(f(camera.inverseFocus - f(1 / distance))));

export function toView(view: Position, point: Position, camera: TwinCamera): void {
  view.x = inView(0, point, camera);
  view.y = inView(1, point, camera);
  view.z = inView(2, point, camera);
}

const inView = (axis: number, { x, y, z }: Position, { pose }: TwinCamera) =>
  f(f(f(f(pose[axis] * x) + f(pose[4 + axis] * y)) + f(pose[8 + axis] * z)) + pose[12 + axis]);

// The pixel of the depth image that a point comes from: the kernel's `pixelOf`. Its numbers fit 16 bits, in which the fast form keeps them.
export const columnOf = ({ x, z }: Position, { sensorFocal, sensorCentre }: TwinCamera): number =>
  rounded(f(f(f(x / z) * sensorFocal[0]) + sensorCentre[0]));
export const rowOf = ({ y, z }: Position, { sensorFocal, sensorCentre }: TwinCamera): number =>
  rounded(f(f(f(y / z) * sensorFocal[1]) + sensorCentre[1]));
const rounded = (place: number) => less(more(-32768, Math.floor(f(place + 0.5))), 32767) | 0;
