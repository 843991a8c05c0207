import type { Intrinsics } from "../../core/frame.ts";
import { leastSquares } from "../../core/matrix.ts";

/** A small piece of a surface in one frame: its pixel, its depth there, and the change of depth by a pixel to the right and down. */
export interface Patch {
  readonly u: number;
  readonly v: number;
  readonly depth: number;
  readonly right: number;
  readonly down: number;
}

/** The number of fits. From the second on, a patch weighs less the less its change follows the motion that the fit before found. */
const ROUNDS = 4;
/** Residuals of this many median residuals get half of Cauchy's full weight. */
const CUT = 2;

/**
 * Makes a function that takes the camera's motion out of how much the depth of patches changes between two frames. A rigid motion changes
 * the depth at a fixed pixel by the range flow constraint, which is linear in the motion: a robust fit to all patches finds the motion, and
 * its part is subtracted from each change. Harville et al., "3D pose tracking with linear depth and brightness constraints" (ICCV 1999),
 * sections 2 and 3.
 */
export function withoutMotion(patches: readonly Patch[], lens: Intrinsics): (changes: readonly number[]) => number[] {
  // Noise grows with the square of the distance, so each row is divided by that square.
  const scales = patches.map(({ depth }) => 1 / depth ** 2);
  const rows = patches.map((patch, k) => rangeFlow(patch, lens).map((part) => part * scales[k]));
  return (changes) => {
    const values = changes.map((change, k) => change * scales[k]);
    let weights = values.map(() => 1);
    let residuals = values;
    for (let round = 0; round < ROUNDS; round++) {
      const motion = leastSquares(
        rows.map((row, k) => row.map((part) => part * weights[k])),
        values.map((value, k) => value * weights[k]),
      );
      if (!motion) break;
      residuals = values.map((value, k) => value - rows[k].reduce((sum, part, i) => sum + part * motion[i], 0));
      const cut = CUT * Float64Array.from(residuals, Math.abs).sort()[residuals.length >> 1];
      // The square root of Cauchy's weight, for a row of least squares.
      if (cut > 0) weights = residuals.map((one) => 1 / Math.sqrt(1 + (one / cut) ** 2));
    }
    return residuals.map((one, k) => one / scales[k]);
  };
}

/** The change of a patch's depth by each part of a small motion of what the camera sees: shifts along x, y, z, turns about x, y, z. */
function rangeFlow({ u, v, depth, right, down }: Patch, { fx, fy, cx, cy }: Intrinsics): number[] {
  const [x, y] = [(u - cx) / fx, (v - cy) / fy];
  const byX = (-right * fx) / depth;
  const byY = (-down * fy) / depth;
  const byZ = 1 - byX * x - byY * y;
  return [byX, byY, byZ, depth * (y * byZ - byY), depth * (byX - x * byZ), depth * (x * byY - y * byX)];
}
