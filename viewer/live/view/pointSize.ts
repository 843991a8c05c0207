import type { PerspectiveCamera } from "three/webgpu";
import type { Intrinsics } from "../../../sources/frame.ts";

/** No point is larger: one right before the camera would fill the window. */
export const MOST_PX = 32;

/** A pixel of the sensor that fills one of the window takes that one, however it is rounded. */
const SLACK = 0.999;

/**
 * How plain points grow: one that the sensor saw `z` away, and the camera sees `w` away, is a square of growth · z / w pixels, rounded
 * up, from 1 to `MOST_PX`. That is what the sensor's pixel covers there, so that a surface is closed from wherever it is seen
 * as squarely as the sensor saw it, and no point is larger than that takes.
 */
export function growthOf(
  { fx, fy }: Pick<Intrinsics, "fx" | "fy">,
  { projectionMatrix }: Pick<PerspectiveCamera, "projectionMatrix">,
  heightPx: number,
  factor: number,
): number {
  const focalPx = (projectionMatrix.elements[5] * heightPx) / 2;
  return (SLACK * factor * focalPx) / Math.min(fx, fy);
}
