import { inverseRoot, over, reciprocal, root } from "../core/exact.ts";
import { MARGIN, STEEPEST, SURFACE } from "./layout.ts";
import { dot } from "./motion.ts";
import type { Level } from "./pyramid.ts";

/** A level of the keyframe: four numbers per pixel, the unit normal (away from the camera) and the depth (0 where there is no plane). */
export type Planes = Float32Array;

const { fround } = Math;
const LEAST = fround(STEEPEST);
const NEAR = fround(SURFACE);

/** Memory for `planesOf`: the inverse depth of a level with a margin of `MARGIN` pixels around, 0 where there is none. */
export const inverseOf = ({ width, height }: { readonly width: number; readonly height: number }): Float32Array =>
  new Float32Array((width + 2 * MARGIN) * (height + 2 * MARGIN));

/**
 * Writes the plane through each pixel. In the image a plane's inverse depth is linear, a·x + b·y + c; a and b are the mean slopes of pairs
 * of pixels on opposite sides of the pixel, up to `reach` pixels away, in its own row (column) and the two beside it. Everything is an f32.
 */
export function planesOf(level: Level, reach: number, planes: Planes, inverse: Float32Array): void {
  const { width, height, z, fx, fy, cx, cy, ix, iy } = level;
  const row = width + 2 * MARGIN;
  invert(level, inverse);
  for (let y = 0; y < height; y++) {
    const v = fround(fround(y - cy) * iy);
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const at = (y + MARGIN) * row + x + MARGIN;
      const w = inverse[at];
      const u = fround(fround(x - cx) * ix);
      const nx = fround(slope(inverse, at, 1, row, w, reach) * fx);
      const ny = fround(slope(inverse, at, row, 1, w, reach) * fy);
      const nz = fround(fround(w - fround(nx * u)) - fround(ny * v));
      const square = dot(nx, ny, nz, nx, ny, nz);
      const perLength = inverseRoot(square);
      // Steepness is the angle between normal and ray, not between normal and optical axis: a floor seen from above is not steep.
      const isSeen = w > fround(fround(LEAST * fround(square * perLength)) * root(dot(u, v, 1, u, v, 1)));
      planes[4 * i] = isSeen ? nx * perLength : 0;
      planes[4 * i + 1] = isSeen ? ny * perLength : 0;
      planes[4 * i + 2] = isSeen ? nz * perLength : 0;
      planes[4 * i + 3] = isSeen ? z[i] : 0;
    }
  }
}

function invert({ width, height, z }: Level, inverse: Float32Array): void {
  for (let y = 0; y < height; y++) {
    const row = (y + MARGIN) * (width + 2 * MARGIN) + MARGIN;
    for (let x = 0; x < width; x++) inverse[row + x] = z[y * width + x] === 0 ? 0 : reciprocal(z[y * width + x]);
  }
}

/** The slope of inverse depth along a step, per pixel; NaN if no pair in the pixel's own row lies on its surface. */
function slope(inverse: Float32Array, at: number, along: number, across: number, w: number, reach: number): number {
  let sum = 0;
  let count = 0;
  for (let beside = 0; beside <= 2; beside++) {
    if (beside === 1 && count === 0) return Number.NaN;
    const centre = at + (beside === 2 ? -across : beside * across);
    for (let k = 1; k <= reach; k++) {
      const p = inverse[centre + k * along];
      const q = inverse[centre - k * along];
      // Invalid pixels have inverse depth 0, which is never on the surface.
      const near = fround(fround(NEAR * k) * w);
      if (!(Math.abs(fround(p - w)) < near && Math.abs(fround(q - w)) < near)) continue;
      sum = fround(sum + fround(fround(p - q) * k));
      count += 2 * k * k;
    }
  }
  return over(sum, count);
}
