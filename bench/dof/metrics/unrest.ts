import type { Rgba } from "../light.ts";

/** The part of a picture's luma change over three frames that is not linear, in steps of 255. */
export interface Unrest {
  readonly mean: number;
  readonly p99: number;
}

const lumaAt = ({ rgba }: Rgba, p: number) => 0.299 * rgba[4 * p] + 0.587 * rgba[4 * p + 1] + 0.114 * rgba[4 * p + 2];

/** For each three consecutive frames: |a − 2b + c|, which is 0 where a pixel changes at a constant rate. */
export function unrestOf(frames: readonly Rgba[], seen: Float32Array): Unrest {
  const all: number[] = [];
  for (let t = 2; t < frames.length; t++) {
    const [a, b, c] = frames.slice(t - 2, t + 1) as [Rgba, Rgba, Rgba];
    for (let p = 0; p < seen.length; p++) {
      if (seen[p]) all.push(Math.abs(lumaAt(a, p) - 2 * lumaAt(b, p) + lumaAt(c, p)));
    }
  }
  const sorted = Float32Array.from(all).sort();
  const mean = sorted.reduce((sum, x) => sum + x, 0) / Math.max(sorted.length, 1);
  return { mean: Number(mean.toFixed(2)), p99: Number((sorted[Math.floor(0.99 * sorted.length)] ?? 0).toFixed(1)) };
}
