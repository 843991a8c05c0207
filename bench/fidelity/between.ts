import type { Depth } from "./image.ts";

/** A pixel near a depth step in raw, and the depths of the near (10 %) and the far (90 %) surface in the 7 × 7 around it. */
export interface DepthStep {
  readonly at: number;
  readonly near: number;
  readonly far: number;
}

/** Finds the pixels near depth steps in raw. */
export function stepsOf({ width, height, mm }: Depth): DepthStep[] {
  const found: DepthStep[] = [];
  const values = new Float32Array(49);
  for (let y = 3; y < height - 3; y++) {
    for (let x = 3; x < width - 3; x++) {
      const at = y * width + x;
      if (!(mm[at] > 0)) continue;
      let [n, least, most] = [0, Infinity, 0];
      for (let dy = -3; dy <= 3; dy++) {
        for (let dx = -3; dx <= 3; dx++) {
          const z = mm[at + dy * width + dx];
          if (!(z > 0)) continue;
          values[n++] = z;
          least = Math.min(least, z);
          most = Math.max(most, z);
        }
      }
      if (!(most > 1.1 * least)) continue;
      const sorted = values.subarray(0, n).sort();
      const [near, far] = [sorted[Math.trunc(n * 0.1)], sorted[Math.min(Math.trunc(n * 0.9), n - 1)]];
      if (far > 1.1 * near) found.push({ at, near, far });
    }
  }
  return found;
}

/**
 * The number of these pixels that lie more than 3 % away from both surfaces (real flying pixels and blended ones alike), and of the valid
 * ones.
 */
export function hanging(places: readonly DepthStep[], { mm }: Depth): readonly [hang: number, valid: number] {
  let [hang, valid] = [0, 0];
  for (const { at, near, far } of places) {
    const z = mm[at];
    if (!(z > 0)) continue;
    valid++;
    if (z > 1.03 * near && z < far / 1.03) hang++;
  }
  return [hang, valid];
}
