import { compose, invert, type Rigid, rigid } from "../pose.ts";
import type { Extrinsics } from "./register.ts";

/** Two cameras in one place that look the same way. */
export const SAME_PLACE: Extrinsics = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation: [0, 0, 0] };

/** The rotation, 3×3 by rows, of a quaternion of length 1 whose real part is w. */
export const rotationOf = (x: number, y: number, z: number, w: number): number[] => [
  ...[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
  ...[2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
  ...[2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
];

export const rigidOf = ({ rotation: r, translation: [x, y, z] }: Extrinsics): Rigid =>
  Float64Array.of(r[0], r[1], r[2], x, r[3], r[4], r[5], y, r[6], r[7], r[8], z);

/** The transform in the upper three rows of a 4×4 matrix. */
export const extrinsicsFrom = (m: ArrayLike<number>): Extrinsics => ({
  rotation: [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]],
  translation: [m[3], m[7], m[11]],
});

/** The transform that applies `a`, then `b`. */
export const chained = (a: Extrinsics, b: Extrinsics): Extrinsics =>
  extrinsicsFrom(compose(rigid(), rigidOf(b), rigidOf(a)));

export const inverse = (a: Extrinsics): Extrinsics => extrinsicsFrom(invert(rigid(), rigidOf(a)));

/** The transform as a 4×4 matrix by rows. */
export const matrixOf = (a: Extrinsics): number[] => [...rigidOf(a), 0, 0, 0, 1];
