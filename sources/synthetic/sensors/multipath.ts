import type { Intrinsics } from "../../../core/frame.ts";

/** The distance from a corner within which the other wall's light has an effect. */
const REACH_M = 0.15;
/** Neighbours with a larger difference in depth belong to another surface. */
const SAME_M = 0.25;
/** Half way along a wall, depth may be off the line by this share of the change. */
const BENT = 0.1;
/** A pixel that is nearer than the line between two others by more than this share stands out. */
const STANDS_OUT = 5e-4;
const AROUND = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
] as const;
const ACROSS = Int32Array.from(AROUND, ([dx]) => dx);
const DOWN = Int32Array.from(AROUND, ([, dy]) => dy);

/**
 * Simulates multipath at inner corners: light that came by way of the other wall makes depth too long beside the crease. At the crease
 * itself both ways are equally long, so the corner comes out rounded. The effect reaches a hand's width and amounts to at most some
 * centimetres (Fürsattel et al. 2016; Sarbolandi, Lefloch and Kolb 2015).
 *
 *     depth    true  ──╲    ╱──     measured  ─╮    ╭─
 *              the crease ╲╱                   ╲_╲╱_╱   above the line: farther
 *
 * `share` is the share of the light that takes the longer way.
 */
export function corners(metres: Float32Array, { width, height, fx }: Intrinsics, share: number): Float32Array {
  const hollow = new Float32Array(metres.length);
  const withMultipath = new Float32Array(metres.length);
  const inverse = Float64Array.from(metres, (z) => 1 / z);
  // Offsets of opposite neighbours of a pixel, at half the reach and at the whole; they are the same for both rounds.
  const pairs = new Int32Array(2 * 2 * AROUND.length);
  /** Whether a surface leads from a pixel to another one: half way, 1 / z has changed by about half. A step is no corner. */
  const isWall = (i: number, step: number, far: number): boolean => {
    if (!(Math.abs(metres[i + step] - metres[i]) < SAME_M)) return false;
    const half = (step / far) * (far >> 1);
    const [here, there] = [inverse[i], inverse[i + step]];
    const straight = Math.abs(inverse[i + half] - here - ((there - here) * (far >> 1)) / far);
    return straight <= BENT * Math.abs(there - here);
  };
  /** Whether a pixel stands out between two others, as on the edge of a box: light from a corner beyond does not reach around it. */
  const isEdge = (i: number, step: number): boolean =>
    inverse[i] * (1 - STANDS_OUT) > (inverse[i + step] + inverse[i - step]) / 2;
  const near = (i: number, x: number, y: number): number => {
    const reach = Math.max(2, Math.round((REACH_M * fx) / metres[i]));
    let count = 0;
    for (let far = reach >> 1; ; far = reach) {
      const inX = x >= far && x + far < width;
      const inY = y >= far && y + far < height;
      for (let k = 0; k < 4; k++) {
        if ((!inX && k !== 1) || (!inY && k !== 0)) continue;
        const step = far * (DOWN[k] * width + ACROSS[k]);
        if (isEdge(i, step) || !isWall(i, step, far) || !isWall(i, -step, far)) continue;
        pairs[count++] = i + step;
        pairs[count++] = i - step;
      }
      if (far === reach) return count;
    }
  };
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const z = metres[i];
      if (!Number.isFinite(z) || z <= 0) continue;
      // On a plane 1 / z is linear, so a pixel farther than its neighbours' plane lies in a hollow.
      let deepest = 0;
      const count = near(i, x, y);
      for (let k = 0; k < count; k += 2) {
        const deep = z - 2 / (inverse[pairs[k]] + inverse[pairs[k + 1]]);
        if (deep > deepest) deepest = deep;
      }
      hollow[i] = deepest;
    }
  }
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      let sum = 0;
      const count = near(i, x, y);
      for (let k = 0; k < count; k += 2) sum += hollow[pairs[k]] + hollow[pairs[k + 1]];
      withMultipath[i] = metres[i] + (count > 0 ? share * Math.max(0, (2 * sum) / count - hollow[i]) : 0);
    }
  }
  return withMultipath;
}
