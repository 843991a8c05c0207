import type { Intrinsics } from "../frame.ts";

/** The horizontal field of view of Kinect v1 and PrimeSense cameras, assumed where no intrinsics are given. */
export const ASSUMED_DEGREES = 58;

/**
 * Makes intrinsics for a camera that tells none: square pixels, the principal point in the middle, `ASSUMED_DEGREES` from left to right.
 */
export function assumedLens(width: number, height: number): Intrinsics {
  const focal = width / 2 / Math.tan((ASSUMED_DEGREES / 2) * (Math.PI / 180));
  return { fx: focal, fy: focal, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
}
