import type { Size } from "../types.ts";

/** What kernels/reads/window.wgsl computes: for each pixel the sum of its window, weighted by a tent in x and in y. Modulo 2^32. */
export function windowSums(pixels: ArrayLike<number>, { width, height }: Size, radius: number): Uint32Array {
  const rows = new Uint32Array(width * height);
  const sums = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let i = Math.max(x - radius, 0); i <= Math.min(x + radius, width - 1); i++) {
        sum += pixels[y * width + i] * (radius + 1 - Math.abs(i - x));
      }
      rows[y * width + x] = sum;
    }
  }
  for (let y = 0; y < height; y++) {
    for (let j = Math.max(y - radius, 0); j <= Math.min(y + radius, height - 1); j++) {
      const weight = radius + 1 - Math.abs(j - y);
      for (let x = 0; x < width; x++) sums[y * width + x] += rows[j * width + x] * weight;
    }
  }
  return sums;
}

/** Where two lists of words differ first, in words; `undefined` if nowhere. */
export function firstDifference(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  width: number,
): string | undefined {
  for (let i = 0; i < expected.length; i++) {
    if (found[i] !== expected[i]) {
      return `pixel (${i % width}, ${Math.floor(i / width)}) is ${found[i]}, not ${expected[i]}`;
    }
  }
  return undefined;
}
