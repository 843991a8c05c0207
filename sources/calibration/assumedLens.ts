import type { Intrinsics } from "../core/frame.ts";

/** The horizontal field of view of Kinect v1 and PrimeSense cameras, assumed where no intrinsics are given. */
export const ASSUMED_DEGREES = 58;

/** Assumed intrinsics for an image of any size: the axis in the middle, `ASSUMED_DEGREES` wide, square pixels. */
export function assumedLens(width: number, height: number): Intrinsics {
  const focal = width / 2 / Math.tan((ASSUMED_DEGREES / 2) * (Math.PI / 180));
  return { fx: focal, fy: focal, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
}
