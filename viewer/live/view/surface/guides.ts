import type { Matrix4 } from "three/webgpu";
import type { Intrinsics } from "../../../../core/frame.ts";
import { pointAt } from "../../../../core/geometry.ts";
import type { Rigid } from "../../../../core/pose.ts";

/** Line segments in the sensor's axes (x right, y down, z forward), metres; six numbers for each segment. */
export interface Segments {
  readonly ends: Float32Array;
  /** Segments that change: how many there are, a number that grows when they change, and the motion from their axes to the sensor's. */
  readonly growing?: { readonly count: number; readonly version: number; readonly toSensor: Rigid };
  /** sRGB from 0 to 1, and opacity. */
  readonly color: readonly [number, number, number, number];
}

/** Writes a motion as a matrix of Three.js. */
export const matrixOf = (m: Rigid, into: Matrix4): Matrix4 =>
  into.set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1);

const FRUSTUM: Segments["color"] = [0.95, 0.75, 0.43, 0.5];

/** The sensor's field of view as a pyramid of depth `reachM`, through the outer corners of the corner pixels. */
export function frustumOf(intrinsics: Intrinsics, reachM: number, color: Segments["color"] = FRUSTUM): Segments {
  const corner = (x: number, y: number) => pointAt(intrinsics, x, y, reachM);
  const [right, bottom] = [intrinsics.width - 0.5, intrinsics.height - 0.5];
  const corners = [corner(-0.5, -0.5), corner(right, -0.5), corner(right, bottom), corner(-0.5, bottom)];
  const apex = [0, 0, 0];
  const ends = corners.flatMap((from, i) => [...apex, ...from, ...from, ...(corners[(i + 1) % 4] ?? apex)]);
  return { ends: new Float32Array(ends), color };
}

/** A grid of 0.5 m on the floor, `y` metres below the sensor, around `z` metres before it. */
export function floorOf(y: number, z: number): Segments {
  const [step, half] = [0.5, 3];
  const ends: number[] = [];
  for (let t = -half; t <= half + 1e-6; t += step) {
    const depth = Math.round(z / step) * step;
    ends.push(t, y, depth - half, t, y, depth + half);
    ends.push(-half, y, depth + t, half, y, depth + t);
  }
  return { ends: new Float32Array(ends), color: [0.6, 0.68, 0.8, 0.28] };
}
