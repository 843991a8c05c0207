import type { Size } from "./census.ts";
import { ARM, COARSE, FEWEST, FILL, LONGEST, PARTS, REACH, SHARE, SURE } from "./layout.ts";

/**
 * The median of the valid disparities of 5 × 5 pixels; an invalid pixel stays so unless at least FILL of them are valid. If their number is
 * even, it is the higher of the middle two. `found` is scratch: the valid disparities around a pixel, from the least on.
 */
export function medians(
  disparities: Uint32Array,
  { width, height }: Size,
  found: Uint32Array,
  into: Uint32Array,
): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      let count = 0;
      for (let v = Math.max(0, y - 2); v <= Math.min(height - 1, y + 2); v++) {
        for (let u = Math.max(0, x - 2); u <= Math.min(width - 1, x + 2); u++) {
          const one = disparities[v * width + u] % SURE;
          if (one > 0) insert(found, one, count++);
        }
      }
      const median = disparities[at] > 0 || count >= FILL ? found[count >> 1] : 0;
      into[at] = median + (disparities[at] & SURE);
    }
  }
}

/** Keeps the first `count` of `found` sorted. */
function insert(found: Uint32Array, one: number, count: number): void {
  let at = count;
  for (; at > 0 && found[at - 1] > one; at--) found[at] = found[at - 1];
  found[at] = one;
}

/** The contrast of both images. */
interface Contrasted extends Size {
  readonly left: Int32Array;
  readonly right: Int32Array;
}

/**
 * The terms that are summed over a surface, for each pixel: its weight; its weight times its disparity after the sub-pixel step, in coarse
 * parts; and how many pixels count (the high half) and how many of these are sure (the low half). The second sum wraps around; minus the
 * weights' sum times one pixel's disparity, it is right.
 */
interface Terms {
  readonly weights: Int32Array;
  readonly moved: Int32Array;
  readonly counts: Int32Array;
}

export const noTerms = (pixels: number): Terms => ({
  weights: new Int32Array(pixels),
  moved: new Int32Array(pixels),
  counts: new Int32Array(pixels),
});

/**
 * What each pixel adds to the sums over its surface. Its step goes three quarters of the way to where the right image, between its pixels,
 * would be like the left one (Lucas and Kanade 1981).
 */
export function terms(disparities: Uint32Array, { width, height, left, right }: Contrasted, into: Terms): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const own = disparities[at] % SURE;
      const whole = Math.trunc(own / COARSE);
      const part = (own % COARSE) * (PARTS / COARSE);
      const isInside = own > 0 && x >= whole + 2 && x - whole + 1 < width;
      const k = at - whole;
      const between = (j: number) => right[j] + (((right[j - 1] - right[j]) * part + PARTS / 2) >> 8);
      const slope = isInside ? between(k + 1) - between(k - 1) : 0;
      const away = isInside ? between(k) - left[at] : 0;
      into.weights[at] = (slope * slope) >> 4;
      into.moved[at] = into.weights[at] * own + 3 * slope * away;
      into.counts[at] = own === 0 ? 0 : 65536 + (disparities[at] >= SURE ? 1 : 0);
    }
  }
}

/**
 * How far a pixel's arm reaches in steps of `step`, of which `most` stay in the image (Zhang, Lu and Lafruit 2009). Invalid pixels do not
 * end an arm, and have no arms themselves.
 */
function armOf(disparities: Uint32Array, at: number, step: number, most: number): number {
  const own = disparities[at] % SURE;
  if (own === 0) return 0;
  let length = 0;
  while (length < Math.min(ARM, most)) {
    const other = disparities[at + (length + 1) * step] % SURE;
    if (other > 0 && Math.abs(other - own) >= REACH) break;
    length++;
  }
  return length;
}

/**
 * Sums terms over the surface of each pixel: the terms `a` along its arms in its row into `b`, and these sums along its arms in its column
 * back into `a`.
 */
function gather(disparities: Uint32Array, { width, height }: Size, [a, b]: readonly [Terms, Terms]): void {
  for (const [from, to, step] of [
    [a, b, 1],
    [b, a, width],
  ] as const) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = y * width + x;
        const before = step === 1 ? x : y;
        const behind = step === 1 ? width - 1 - x : height - 1 - y;
        const first = armOf(disparities, at, -step, before);
        const last = armOf(disparities, at, step, behind);
        let weight = 0;
        let moved = 0;
        let count = 0;
        for (let i = at - first * step; i <= at + last * step; i += step) {
          weight += from.weights[i];
          moved = (moved + from.moved[i]) | 0;
          count += from.counts[i];
        }
        to.weights[at] = weight;
        to.moved[at] = moved;
        to.counts[at] = count;
      }
    }
  }
}

/** Gathers the first time, and turns the sums into terms again, 1/128 as large. The second of `both` is scratch. */
export function spread(disparities: Uint32Array, size: Size, both: readonly [Terms, Terms]): void {
  gather(disparities, size, both);
  const [{ weights, moved }] = both;
  for (let i = 0; i < weights.length; i++) {
    const own = disparities[i] % SURE;
    const top = (moved[i] - Math.imul(weights[i], own)) >> 7;
    weights[i] >>= 7;
    moved[i] = Math.imul(weights[i], own) + top;
  }
}

/**
 * Gathers a second time, so that near pixels weigh more: a pixel's disparity, in parts of a px, is the mean of its surface's refined
 * disparities, 0 for none.
 */
export function refine(disparities: Uint32Array, size: Size, both: readonly [Terms, Terms], into: Uint32Array): void {
  gather(disparities, size, both);
  for (let i = 0; i < into.length; i++) into[i] = partsOf(disparities[i] % SURE, both[0], i);
}

function partsOf(own: number, { weights, moved, counts }: Terms, i: number): number {
  const sure = counts[i] & 65535;
  const count = counts[i] >> 16;
  if (own === 0 || sure < FEWEST || sure * 32 < count * SHARE) return 0;
  const weight = weights[i] >> 3;
  const top = (moved[i] - Math.imul(weights[i], own)) | 0;
  const change = weight > 0 ? Math.trunc(top / weight) : 0;
  return Math.max(1, own * (PARTS / COARSE) + Math.min(Math.max(change, -LONGEST), LONGEST));
}
