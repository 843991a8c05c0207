import type { Intrinsics } from "../../core/frame.ts";

/** The largest size of a point, px: a point right before the camera would fill the window. */
export const MOST_PX = 32;

/** Just below 1, so that a sensor pixel as large as one window pixel takes exactly one, although sizes are rounded up. */
const SLACK = 0.999;

/** The width of a sensor pixel on a surface, in metres per metre of distance, times `factor`. */
export const spreadOf = ({ fx, fy }: Pick<Intrinsics, "fx" | "fy">, factor: number): number =>
  (SLACK * factor) / Math.min(fx, fy);

/**
 * The growth of plain points. A point at the distance `z` from the sensor and `w` from the camera is a square of growth · z / w pixels,
 * rounded up, from 1 to `MOST_PX`: the size of the sensor's pixel there, the smallest that closes a surface seen as squarely as the sensor
 * saw it. `projectionMatrix` is the camera's, `heightPx` the picture's height.
 */
export function growthOf(
  intrinsics: Pick<Intrinsics, "fx" | "fy">,
  { projectionMatrix }: { readonly projectionMatrix: { readonly elements: readonly number[] } },
  heightPx: number,
  factor: number,
): number {
  return (spreadOf(intrinsics, factor) * projectionMatrix.elements[5] * heightPx) / 2;
}
