import type { Scene } from "./scene.ts";

/** How the rounding of depth to steps enters readings of a set of pixels. */
export interface Rounding {
  /** The standard error, m, that rounding gives each pixel and that more frames do not average out; pixels of one step share it. */
  readonly errorM: number;
  /** Over how many steps the pixels are spread, each counted by its share of them: 1 where all lie in one. */
  readonly steps: number;
  /** The step at the middle of the pixels, m. */
  readonly stepM: number;
  /** (σ / step)² of the noise before rounding: a lower bound, since rounded values hide small noise. */
  readonly dither: number;
}

/** A region is judged by this many of its pixels, without the tenth around which depth varies most: edges and flying pixels. */
const LOOKED_AT = 2000;
const KEPT = 0.9;
/** Neighbouring values that occur are this much of a step apart, at least. */
const APART = 0.9;
const SQUARE = [-1, 0, 1] as const;

/**
 * Estimates the error that rounding depth to steps of size s leaves in a mean of pixels. Without noise the error is s / √12. Noise of
 * standard deviation σ before rounding reduces the error to about the share exp(-2π²(σ / s)²), which is 1 % where σ is half a step (Widrow,
 * Kollár and Liu 1996, "Statistical theory of quantization"). σ can be estimated only where the rounded values take more than two
 * steps: values on two steps have a variance of up to s² / 4, however small σ is.
 */
export function roundingOf(scene: Scene, pixels: ArrayLike<number>): Rounding {
  const { z, noise } = scene;
  const every = Math.max(1, Math.floor(pixels.length / LOOKED_AT));
  const some = Int32Array.from({ length: Math.floor(pixels.length / every) }, (_, k) => pixels[k * every]);
  const stepAt = (depth: number) => (noise?.stepMm(depth) ?? 1) / 1000;
  const varied = Float64Array.from(some, (i) => varianceAround(scene, i) / stepAt(z[i]) ** 2).sort();
  const kept = varied.subarray(0, Math.ceil(KEPT * varied.length));
  const excess = kept.reduce((sum, value) => sum + value, 0) / kept.length - 1 / 4;
  // Fitted to depth halfway between two steps, where rounded values tell least about noise: (σ / s)² ≈ ¼ (excess / .09)^¼.
  const dither = 0.25 * Math.max(0, excess / 0.09) ** 0.25;
  const depths = Float64Array.from(some, (i) => z[i]).sort();
  const stepM = stepAt(depths[depths.length >> 1]);
  let [end, count, squares] = [0, 0, 0];
  for (const depth of depths) {
    if (depth > end) [end, squares, count] = [depth + APART * stepAt(depth), squares + count * count, 0];
    count++;
  }
  const errorM = (stepM / Math.sqrt(12)) * Math.exp(-2 * Math.PI ** 2 * dither);
  return { errorM, steps: depths.length ** 2 / (squares + count * count), stepM, dither };
}

/** How much depth varies over the frames and over the 3 × 3 pixels around a pixel, m². */
function varianceAround({ z, width, spread, frames }: Scene, i: number): number {
  let [n, sum, squares, within] = [0, 0, 0, 0];
  for (const dy of SQUARE) {
    for (const dx of SQUARE) {
      const j = i + dy * width + dx;
      if (!(z[j] > 0)) continue;
      n++;
      sum += z[j] - z[i];
      squares += (z[j] - z[i]) ** 2;
      within += spread[j] ** 2;
    }
  }
  const variance = (squares + within) / n - (sum / n) ** 2;
  return n * frames > 1 ? (variance * n * frames) / (n * frames - 1) : 0;
}
