import type { Size } from "./census.ts";
import { ARM, COARSE, FEWEST, FILL, LONGEST, PARTS, REACH, SHARE, SURE } from "./layout.ts";

/**
 * The median of the valid disparities of 5 × 5 pixels; an invalid pixel stays so unless at least FILL of them are valid. Of an even number
 * the higher of the middle two.
 */
export function medians(disparities: Uint32Array, { width, height }: Size, into: Uint32Array): void {
  const found = new Uint32Array(25);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      let count = 0;
      for (let v = Math.max(0, y - 2); v <= Math.min(height - 1, y + 2); v++) {
        for (let u = Math.max(0, x - 2); u <= Math.min(width - 1, x + 2); u++) {
          const one = disparities[v * width + u] % SURE;
          if (one > 0) found[count++] = one;
        }
      }
      const median = disparities[at] > 0 || count >= FILL ? found.subarray(0, count).sort()[count >> 1] : 0;
      into[at] = median + (disparities[at] & SURE);
    }
  }
}

/** The contrast of both images. */
export interface Refining extends Size {
  readonly left: Int32Array;
  readonly right: Int32Array;
}

/**
 * What is summed over a surface, for each pixel: its weight; what its weight, times its disparity after the sub-pixel step, would be in
 * coarse parts; and how many pixels count, in the high half, and how many of them are sure, in the low one. The middle one wraps around:
 * less the weights' sum times one pixel's disparity, it is right.
 */
export interface Terms {
  readonly weights: Int32Array;
  readonly moved: Int32Array;
  readonly counts: Int32Array;
}

export const termsOf = (pixels: number): Terms => ({
  weights: new Int32Array(pixels),
  moved: new Int32Array(pixels),
  counts: new Int32Array(pixels),
});

/**
 * Disparities in parts of a px, 0 for none, after a sub-pixel step (Lucas and Kanade 1981) that the pixels of a surface take together: each
 * pixel goes three quarters of the way to where the right image, between its pixels, would be like the left one, and all are averaged,
 * those on steep slopes of brightness more. A pixel's surface is what its arms along its column reach, and the arms along rows of those
 * pixels (Zhang, Lu and Lafruit 2009); it is gathered twice, so that near pixels weigh more. `a` and `b` are scratch.
 */
export function refine(
  disparities: Uint32Array,
  refining: Refining,
  [a, b]: readonly [Terms, Terms],
  into: Uint32Array,
) {
  terms(disparities, refining, a);
  gather(disparities, refining, a, b);
  for (let i = 0; i < into.length; i++) {
    const own = disparities[i] % SURE;
    const top = (a.moved[i] - Math.imul(a.weights[i], own)) >> 7;
    a.weights[i] >>= 7;
    a.moved[i] = Math.imul(a.weights[i], own) + top;
  }
  gather(disparities, refining, a, b);
  for (let i = 0; i < into.length; i++) {
    const own = disparities[i] % SURE;
    const [sure, count] = [a.counts[i] & 65535, a.counts[i] >> 16];
    const weight = a.weights[i] >> 3;
    const top = (a.moved[i] - Math.imul(a.weights[i], own)) | 0;
    const move = weight > 0 ? Math.trunc(top / weight) : 0;
    const parts = Math.max(1, (own * PARTS) / COARSE + Math.min(Math.max(move, -LONGEST), LONGEST));
    into[i] = own === 0 || sure < FEWEST || sure * 32 < count * SHARE ? 0 : parts;
  }
}

function terms(disparities: Uint32Array, { width, height, left, right }: Refining, into: Terms): void {
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
      into.weights[at] = (slope * slope) >> 4;
      into.moved[at] = into.weights[at] * own + (isInside ? 3 * slope * (between(k) - left[at]) : 0);
      into.counts[at] = own === 0 ? 0 : 65536 + (disparities[at] >= SURE ? 1 : 0);
    }
  }
}

/** Sums `a` along each pixel's arms in its row into `b`, and `b` along each pixel's arms in its column back into `a`. */
function gather(disparities: Uint32Array, { width, height }: Size, a: Terms, b: Terms): void {
  for (const [from, to, step] of [
    [a, b, 1],
    [b, a, width],
  ] as const) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = y * width + x;
        const [place, end] = step === 1 ? [x, width] : [y, height];
        let [weight, moved, count] = [0, 0, 0];
        const [first, last] = [armOf(disparities, at, -step, place), armOf(disparities, at, step, end - 1 - place)];
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

/** How far a pixel's arm reaches in steps of `step`, of which `most` stay in the image. Invalid pixels do not end it, and have none. */
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
