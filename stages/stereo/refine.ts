import type { Size } from "./census.ts";
import { COARSE, DRIFT, FEWEST, HALF, LONGEST, NEAR, PARTS, REACH, STEPS, SURE } from "./layout.ts";

/** The median of the valid disparities of 5 × 5 pixels; an invalid pixel stays so. Of an even number the higher of the middle two. */
export function medians(disparities: Uint32Array, { width, height }: Size, into: Uint32Array): void {
  const found = new Uint32Array(25);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (disparities[at] === 0) {
        into[at] = 0;
        continue;
      }
      let count = 0;
      for (let v = Math.max(0, y - 2); v <= Math.min(height - 1, y + 2); v++) {
        for (let u = Math.max(0, x - 2); u <= Math.min(width - 1, x + 2); u++) {
          const one = disparities[v * width + u] % SURE;
          if (one > 0) found[count++] = one;
        }
      }
      into[at] = found.subarray(0, count).sort()[count >> 1] + (disparities[at] & SURE);
    }
  }
}

/** The contrast of both images; `scale` / disparity in parts of a px is depth in its units. */
export interface Refining extends Size {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly scale: number;
}

/**
 * Depth from disparities, after sub-pixel steps (Lucas and Kanade 1981): each step goes three quarters of the way to where the right image,
 * between its pixels, would be like the left one, over the pixels of the window that lie on the same surface.
 */
export function refine(disparities: Uint32Array, refining: Refining, depth: Uint16Array): void {
  const { width, height, scale } = refining;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const parts = disparities[at] === 0 ? 0 : refined(disparities, refining, x, y);
      const z = parts === 0 ? 0 : Math.floor((scale + (parts >>> 1)) / parts);
      depth[at] = z > 65535 ? 0 : z;
    }
  }
}

/** One pixel's disparity after the steps; 0 where its surface has too few sure pixels. */
function refined(disparities: Uint32Array, { width, height, left, right }: Refining, x: number, y: number): number {
  const own = disparities[y * width + x] % SURE;
  const start = (own * PARTS) / COARSE;
  let parts = start;
  let sure = 0;
  for (let step = 0; step < STEPS; step++) {
    const isLast = step === STEPS - 1;
    const reach = isLast ? HALF : NEAR;
    const whole = Math.trunc(parts / PARTS);
    const part = parts - whole * PARTS;
    const between = (k: number) => right[k] + (((right[k - 1] - right[k]) * part + PARTS / 2) >> 8);
    let top = 0;
    let bottom = 0;
    for (let v = Math.max(0, y - reach); v <= Math.min(height - 1, y + reach); v++) {
      let rowTop = 0;
      let rowBottom = 0;
      for (let u = Math.max(0, x - reach); u <= Math.min(width - 1, x + reach); u++) {
        const at = v * width + u;
        const other = disparities[at] % SURE;
        if (other === 0 || Math.abs(other - own) >= REACH) continue;
        if (isLast && disparities[at] >= SURE) sure++;
        if (u < whole + 2 || u - whole + 1 >= width) continue;
        const k = at - whole;
        const slope = between(k + 1) - between(k - 1);
        const weighted = slope * (HALF + 1 - Math.abs(u - x));
        rowTop += weighted * (between(k) - left[at]);
        rowBottom += weighted * slope;
      }
      const weight = HALF + 1 - Math.abs(v - y);
      top += (rowTop * weight) >> 4;
      bottom += (rowBottom * weight) >> 4;
    }
    const weight = Math.trunc((bottom >> 7) / 3);
    const move = weight > 0 ? Math.trunc(top / weight) : 0;
    parts = Math.max(1, parts + Math.min(Math.max(move, -LONGEST), LONGEST));
  }
  if (sure < FEWEST) return 0;
  return Math.abs(parts - start) < DRIFT ? parts : start;
}
