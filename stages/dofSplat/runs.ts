import type { CpuPoints } from "../stage.ts";
import { type Camera, toEncoded, toLinear } from "./camera.ts";

/** Neighbours are one surface if their distances differ by less than this share: no number that whole millimetres meet. */
export const EDGE = 0.0203;
/** Points of a run, at most; and what a disc's radius must be for each of them, in patches. */
const MOST = 4;
const RUN_RADIUS = 2.02;
const { fround } = Math;

/** What a splat stands for. One object serves all points. */
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
  /** The first point's pixel of the depth image, and its z. */
  u: number;
  v: number;
  firstZ: number;
}

export const newRun = (): Run => ({ x: 0, y: 0, z: 0, distance: 0, count: 0, colour: 0, u: 0, v: 0, firstZ: 0 });

/** Finds the points of a row that become one splat: see shaders/dofSplat/project.wgsl. */
export class Runs {
  readonly #points: CpuPoints;
  readonly #camera: Camera;
  readonly #maxReach: number;
  /** The row of the pose that gives distances, rounded. */
  readonly #row: Float32Array;

  constructor(points: CpuPoints, camera: Camera, maxReach: number) {
    this.#maxReach = maxReach;
    this.#points = points;
    this.#camera = camera;
    const [, , a = 0, , , , b = 0, , , , c = 0, , , , d = 0] = camera.pose;
    this.#row = Float32Array.of(a, b, c, d);
  }

  /** The run of point `i`. */
  at(i: number, run: Run): void {
    const { floats, words, count } = this.#points;
    run.x = floats[4 * i] as number;
    run.y = floats[4 * i + 1] as number;
    run.z = floats[4 * i + 2] as number;
    run.distance = this.#distance(run.x, run.y, run.z);
    run.count = 1;
    run.colour = words[4 * i + 3] as number;
    run.u = this.#pixel(i, 0);
    run.v = this.#pixel(i, 1);
    run.firstZ = run.z;
    const length = this.#length(run.z, run.distance);
    if (length === 1) return;
    const by = ((run.u % length) + length) % length;
    if (by > 0) {
      if (by <= i && this.#follows(i, i - by, by, length)) run.count = 0;
      return;
    }
    const light = [0, 0, 0];
    add(light, run.colour);
    for (let step = 1; step < MOST; step++) {
      const next = i + step;
      if (next >= count || !this.#follows(next, i, step, length)) continue;
      run.x += floats[4 * next] as number;
      run.y += floats[4 * next + 1] as number;
      run.z += floats[4 * next + 2] as number;
      run.count++;
      add(light, words[4 * next + 3] as number);
    }
    if (run.count === 1) return;
    run.x /= run.count;
    run.y /= run.count;
    run.z /= run.count;
    run.distance = this.#distance(run.x, run.y, run.z);
    const [r, g, b] = light.map((sum) => Math.round(toEncoded(sum / run.count) * 255)) as [number, number, number];
    run.colour = r | (g << 8) | (b << 16);
  }

  /** Whether a point is in the run of the point `leader`, `by` columns to its left. */
  #follows(point: number, leader: number, by: number, length: number): boolean {
    const { floats } = this.#points;
    const lengthAt = (i: number) => {
      const [x, y, z] = floats.subarray(4 * i, 4 * i + 3) as unknown as readonly [number, number, number];
      return this.#length(z, this.#distance(x, y, z));
    };
    const z = floats[4 * leader + 2] as number;
    return (
      by < length &&
      this.#pixel(point, 0) === this.#pixel(leader, 0) + by &&
      this.#pixel(point, 1) === this.#pixel(leader, 1) &&
      lengthAt(point) === length &&
      lengthAt(leader) === length &&
      Math.abs((floats[4 * point + 2] as number) - z) < EDGE * z
    );
  }

  /** How many points a run may have at this distance. Written so that NaN gives 1. */
  #length(z: number, distance: number): number {
    const { focal, sensorFocal, blur, inverseFocus, longestRun } = this.#camera;
    const patch = Math.max(((focal[0] / sensorFocal[0]) * z) / distance, 1);
    const r = Math.min(blur * Math.abs(inverseFocus - 1 / distance), this.#maxReach) / patch;
    return Math.min(r >= 4 * RUN_RADIUS ? 4 : r >= 2 * RUN_RADIUS ? 2 : 1, longestRun);
  }

  /** Rounded step by step as the GPU does: the distance decides an order. */
  #distance(x: number, y: number, z: number): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#row;
    return fround(fround(fround(fround(a * x) + fround(b * y)) + fround(c * z)) + d);
  }

  /** The column (axis 0) or row (1) of the depth image that a point came from. */
  #pixel(i: number, axis: 0 | 1): number {
    const { floats } = this.#points;
    const { sensorFocal, sensorCentre } = this.#camera;
    const slope = (floats[4 * i + axis] as number) / (floats[4 * i + 2] as number);
    return Math.round(slope * sensorFocal[axis] + sensorCentre[axis]);
  }
}

function add(light: number[], colour: number): void {
  for (let c = 0; c < 3; c++) light[c] = (light[c] ?? 0) + (LINEAR[(colour >>> (8 * c)) & 255] as number);
}

const LINEAR = Float32Array.from({ length: 256 }, (_, c) => toLinear(c / 255));
