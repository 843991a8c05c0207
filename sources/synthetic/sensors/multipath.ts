import type { Intrinsics } from "../../frame.ts";

/** How far from a corner the other wall's light is felt. */
const REACH_M = 0.15;
/** Neighbours farther off in depth than this are another surface. */
const SAME_M = 0.25;
const AROUND = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
] as const;

/**
 * What light that came by way of another wall does to corners that are turned inwards: beside the crease depth is too long, at the crease
 * itself both ways are as long, so that a corner comes out rounded. It is felt within a hand's width, by some centimetres at most
 * (Fürsattel et al. 2016; Sarbolandi, Lefloch and Kolb 2015).
 *
 *     depth    true  ──╲    ╱──     measured  ─╮    ╭─
 *              the crease ╲╱                   ╲_╲╱_╱   above the line: farther
 *
 * `share`: how much of the light takes the longer way.
 */
export function corners(metres: Float32Array, { width, height, fx }: Intrinsics, share: number): Float32Array {
  const hollow = new Float32Array(metres.length);
  const bent = new Float32Array(metres.length);
  /** Runs over the neighbours of a pixel at half and the whole of the reach, a pair on opposite sides at a time. */
  const pairs = (i: number, x: number, y: number, visit: (a: number, b: number) => void) => {
    const reach = Math.max(2, Math.round((REACH_M * fx) / metres[i]));
    for (const far of [reach >> 1, reach]) {
      for (const [dx, dy] of AROUND) {
        const [ax, ay, bx, by] = [x + dx * far, y + dy * far, x - dx * far, y - dy * far];
        if (ax >= width || ay >= height || by >= height || bx < 0 || by < 0 || ay < 0) continue;
        const [a, b] = [ay * width + ax, by * width + bx];
        const same = (j: number) => Math.abs(metres[j] - metres[i]) < SAME_M;
        if (same(a) && same(b)) visit(a, b);
      }
    }
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const z = metres[i];
      if (!Number.isFinite(z) || z <= 0) continue;
      let deepest = 0;
      // Of a plane 1 / z is linear: what is farther than its neighbours' plane lies in a hollow.
      pairs(i, x, y, (a, b) => {
        deepest = Math.max(deepest, z - 2 / (1 / metres[a] + 1 / metres[b]));
      });
      hollow[i] = deepest;
    }
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      let [sum, count] = [0, 0];
      pairs(i, x, y, (a, b) => {
        sum += hollow[a] + hollow[b];
        count += 2;
      });
      bent[i] = metres[i] + (count > 0 ? share * Math.max(0, (2 * sum) / count - hollow[i]) : 0);
    }
  }
  return bent;
}
