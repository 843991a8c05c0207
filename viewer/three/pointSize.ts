import type { Intrinsics } from "../../sources/core/frame.ts";

/** The largest size of a point, px: a point right before the camera would fill the window. */
export const MOST_PX = 32;

/** A tolerance, px: a sensor pixel as large as one window pixel takes exactly one, despite rounding. */
const SLACK = 0.999;

/** The width of a sensor pixel on a surface, in metres per metre of distance, times `factor`. */
export const spreadOf = ({ fx, fy }: Pick<Intrinsics, "fx" | "fy">, factor: number): number =>
  (SLACK * factor) / Math.min(fx, fy);

/**
 * How plain points grow: one that the sensor saw `z` away, and the camera sees `w` away, is a square of growth · z / w pixels, rounded
 * up, from 1 to `MOST_PX`. That is what the sensor's pixel covers there, so that a surface is closed from wherever it is seen
 * as squarely as the sensor saw it, and no point is larger than that takes. `projectionMatrix` is the camera's, `heightPx` the picture's.
 */
export function growthOf(
  intrinsics: Pick<Intrinsics, "fx" | "fy">,
  { projectionMatrix }: { readonly projectionMatrix: { readonly elements: readonly number[] } },
  heightPx: number,
  factor: number,
): number {
  return (spreadOf(intrinsics, factor) * projectionMatrix.elements[5] * heightPx) / 2;
}
