import type { Depth } from "./image.ts";

const SIDE = 5;
const LENGTH = 2 * SIDE;

/**
 * Measures the width of depth steps. Across each strong (> 10 %), straight step of the truth, along rows and columns, it takes five samples
 * per side, and compares the 10 to 90 % width in px in raw and in the filtered depth; an ideal step has 0.8. Both sides of the truth are
 * continued as lines, so slanted surfaces count too. Samples missing in raw or output are left out and the others close up, so a hole
 * neither widens a step nor excuses it.
 */
export function edgeWidths(truth: Depth, raw: Depth, out: Depth, found: (raw: number, out: number) => void): void {
  const { width, height } = truth;
  across(truth.mm, raw.mm, out.mm, width, height, 1, width, found);
  across(truth.mm, raw.mm, out.mm, height, width, width, 1, found);
}

function across(
  truth: Float32Array,
  raw: Float32Array,
  out: Float32Array,
  length: number,
  lines: number,
  along: number,
  down: number,
  found: (raw: number, out: number) => void,
): void {
  const g = new Float64Array(LENGTH);
  const near = new Float64Array(LENGTH);
  const far = new Float64Array(LENGTH);
  for (let y = 1; y < lines - 1; y++) {
    for (let x = SIDE; x < length - SIDE - 1; x++) {
      const at = y * down + x * along;
      const [a, b] = [truth[at], truth[at + along]];
      const step = Math.abs(a - b);
      if (!(a > 0 && b > 0 && step > 0.1 * Math.min(a, b))) continue;
      const first = at - (SIDE - 1) * along;
      let [before, after, whole] = [0, 0, true];
      for (let t = 0; t < LENGTH; t++) {
        const i = first + t * along;
        g[t] = truth[i];
        whole &&= g[t] > 0;
        if (raw[i] > 0 && out[i] > 0) t < SIDE ? before++ : after++;
      }
      if (!whole || before < 3 || after < 3) continue;
      lineThrough(g, 0, near);
      lineThrough(g, SIDE, far);
      const clear = near.every((z, t) => Math.abs(far[t] - z) > 0.5 * step);
      const flat = g.every((z, t) => Math.abs(z - (t < SIDE ? near : far)[t]) < 0.03 * step);
      const straight = [-down, down].every(
        (d) => Math.abs(truth[at + d] - a) < 0.2 * step && Math.abs(truth[at + along + d] - b) < 0.2 * step,
      );
      if (!clear || !flat || !straight) continue;
      const profile = (image: Float32Array) => {
        const shares: number[] = [];
        for (let t = 0; t < LENGTH; t++) {
          const i = first + t * along;
          if (raw[i] > 0 && out[i] > 0) shares.push((image[i] - near[t]) / (far[t] - near[t]));
        }
        while (shares.length < LENGTH) shares.push(1);
        return shares;
      };
      const [r, o] = [widthOf(profile(raw)), widthOf(profile(out))];
      if (r !== undefined && o !== undefined) found(r, o);
    }
  }
}

/** The least-squares line through five samples from `from` on, evaluated at all ten positions. */
function lineThrough(g: Float64Array, from: number, line: Float64Array): void {
  let [mean, slope] = [0, 0];
  for (let k = 0; k < SIDE; k++) {
    mean += g[from + k] / SIDE;
    slope += (g[from + k] * (k - 2)) / 10;
  }
  for (let t = 0; t < LENGTH; t++) line[t] = mean + slope * (t - from - 2);
}

/** The 10 to 90 % width of a profile that rises from 0 to 1, interpolated linearly between samples. */
function widthOf(p: readonly number[]): number | undefined {
  const hi = p.findIndex((share) => share >= 0.9);
  if (hi < 1) return undefined;
  const lo = p.findLastIndex((share, i) => i < hi && share <= 0.1);
  if (lo < 0) return undefined;
  const x90 = hi - (p[hi] - 0.9) / (p[hi] - p[hi - 1]);
  return x90 - (lo + (0.1 - p[lo]) / (p[lo + 1] - p[lo]));
}
