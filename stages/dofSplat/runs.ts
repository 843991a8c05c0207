import type { CpuPoints } from "../stage.ts";
import { type Camera, toEncoded, toLinear } from "./camera.ts";

/** Neighbours are one surface if their distances differ by less than this share: no number that whole millimetres meet. */
export const EDGE = 0.0203;
/** Points of a run, at most; and what a disc's radius must be for each of them, in patches. */
const MOST = 4;
const RUN_RADIUS = 1.52;
const { fround } = Math;

/** What a splat of more than one point stands for. One object serves all runs. */
export interface Run {
  /** Mean place, metres in the sensor's frame, and its distance from the view. */
  x: number;
  y: number;
  z: number;
  distance: number;
  /** Points; 0 if another's run has them. */
  count: number;
  /** Mean, as a point's. */
  colour: number;
}

export const newRun = (): Run => ({ x: 0, y: 0, z: 0, distance: 0, count: 0, colour: 0 });

/** Finds the points of a row that become one splat: see shaders/dofSplat/project.wgsl. */
export class Runs {
  /** Each point's distance from the view, metres. */
  readonly distances: Float32Array;
  /** How many points a run may have where each of them is. */
  readonly lengths: Uint8Array;
  /** The row of the pose that gives distances. */
  readonly #row = new Float32Array(4);
  #points: CpuPoints | undefined;
  #camera: Camera | undefined;

  constructor(capacity: number) {
    this.distances = new Float32Array(capacity);
    this.lengths = new Uint8Array(capacity);
  }

  /** Takes a frame's points, and writes `distances` and `lengths` of them. Where they are NaN a run has one point. */
  measure(points: CpuPoints, camera: Camera, maxReach: number): void {
    this.#points = points;
    this.#camera = camera;
    const { distances, lengths } = this;
    const { focal, sensorFocal, blur, inverseFocus, longestRun, pose } = camera;
    for (let k = 0; k < 4; k++) this.#row[k] = pose[4 * k + 2] ?? 0;
    const [a = 0, b = 0, c = 0, d = 0] = this.#row;
    const { floats, count } = points;
    const zoom = focal[0] / sensorFocal[0];
    for (let i = 0; i < count; i++) {
      const z = floats[4 * i + 2] as number;
      const distance = distanceOf(floats[4 * i] as number, floats[4 * i + 1] as number, z, a, b, c, d);
      const patch = Math.max((zoom * z) / distance, 1);
      const r = Math.min(blur * Math.abs(inverseFocus - 1 / distance), maxReach) / patch;
      distances[i] = distance;
      lengths[i] = r >= 2 * RUN_RADIUS ? Math.min(r >= 4 * RUN_RADIUS ? 4 : 2, longestRun) : 1;
    }
  }

  /** The run of point `i`, where a run may have more than one point. */
  at(i: number, run: Run): void {
    const { floats, words, count } = this.#points as CpuPoints;
    const length = this.lengths[i] as number;
    const by = ((this.pixel(i, 0) % length) + length) % length;
    run.count = by > 0 && by <= i && this.#follows(i, i - by, by, length) ? 0 : 1;
    if (run.count === 0) return;
    run.x = floats[4 * i] as number;
    run.y = floats[4 * i + 1] as number;
    run.z = floats[4 * i + 2] as number;
    run.distance = this.distances[i] as number;
    run.colour = words[4 * i + 3] as number;
    if (by > 0) return;
    let red = LINEAR[run.colour & 255] as number;
    let green = LINEAR[(run.colour >>> 8) & 255] as number;
    let blue = LINEAR[(run.colour >>> 16) & 255] as number;
    for (let step = 1; step < MOST; step++) {
      const next = i + step;
      if (next >= count || !this.#follows(next, i, step, length)) continue;
      const colour = words[4 * next + 3] as number;
      run.x += floats[4 * next] as number;
      run.y += floats[4 * next + 1] as number;
      run.z += floats[4 * next + 2] as number;
      run.count++;
      red += LINEAR[colour & 255] as number;
      green += LINEAR[(colour >>> 8) & 255] as number;
      blue += LINEAR[(colour >>> 16) & 255] as number;
    }
    if (run.count === 1) return;
    run.x /= run.count;
    run.y /= run.count;
    run.z /= run.count;
    const [a = 0, b = 0, c = 0, d = 0] = this.#row;
    run.distance = distanceOf(run.x, run.y, run.z, a, b, c, d);
    run.colour = byte(red / run.count) | (byte(green / run.count) << 8) | (byte(blue / run.count) << 16);
  }

  /** Whether a point is in the run of the point `leader`, `by` columns to its left. */
  #follows(point: number, leader: number, by: number, length: number): boolean {
    const { floats } = this.#points as CpuPoints;
    const z = floats[4 * leader + 2] as number;
    return (
      by < length &&
      this.lengths[point] === length &&
      this.lengths[leader] === length &&
      Math.abs((floats[4 * point + 2] as number) - z) < EDGE * z &&
      this.pixel(point, 0) === this.pixel(leader, 0) + by &&
      this.pixel(point, 1) === this.pixel(leader, 1)
    );
  }

  /** The column (axis 0) or row (1) of the depth image that a point came from. */
  pixel(i: number, axis: 0 | 1): number {
    const { floats } = this.#points as CpuPoints;
    const { sensorFocal, sensorCentre } = this.#camera as Camera;
    const slope = (floats[4 * i + axis] as number) / (floats[4 * i + 2] as number);
    return Math.round(slope * sensorFocal[axis] + sensorCentre[axis]);
  }
}

/** Rounded step by step as the GPU does: the distance decides an order. */
function distanceOf(x: number, y: number, z: number, a: number, b: number, c: number, d: number): number {
  return fround(fround(fround(fround(a * x) + fround(b * y)) + fround(c * z)) + d);
}

/** The sRGB byte of linear light, exactly but without a power: the table's is not too large, and mostly right. */
function byte(light: number): number {
  let b = BYTES[(light * 4095) | 0] as number;
  while (light >= (ENDS[b] as number)) b++;
  return b;
}

/** Where each byte's light ends. */
const ENDS = Float64Array.from({ length: 256 }, (_, b) => toLinear((b + 0.5) / 255));
const BYTES = Uint8Array.from({ length: 4096 }, (_, k) => Math.round(toEncoded(k / 4095) * 255));

const LINEAR = Float32Array.from({ length: 256 }, (_, c) => toLinear(c / 255));
