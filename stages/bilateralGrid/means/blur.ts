import type { GridShape } from "./grid.ts";
import { EMPTY_RANGE, RANGE_PAD, RAW_PAD } from "./layout.ts";
import type { GridScratch } from "./scratch.ts";

/** The taps of a Gaussian whose sigma is one cell. */
const BINOMIAL = [1, 4, 6, 4, 1] as const;

/**
 * Blurs by 1 4 6 4 1 along all three axes, in whole numbers until the sums are rounded to f32. Writes only the entries that `slice` reads:
 * those next to occupied cells of the surrounding columns.
 */
export function blur(shape: GridShape, { grid, ranges, blurred, sums, weights }: GridScratch): void {
  const { columns, rows, rawDepths, blurredDepths, planes, countBit } = shape;
  const { bases } = shape.axis;
  const [words, spans, out] = [grid.data, ranges.data, blurred.data];
  const across = columns + 2 * RANGE_PAD;
  // Offset from a word with a cell's sum to the word with its count; 0 if one word holds both.
  const countAt = (planes - 1) * rawDepths;
  const mask = planes === 1 ? (1 << countBit) - 1 : -1;
  for (let row = 0; row < rows + 2; row++) {
    for (let column = 0; column < columns + 2; column++) {
      // The corner of the 5 × 5 ranges around the column. Pixels that read this column lie in the inner 3 × 3.
      const corner = row * across + column;
      let first = EMPTY_RANGE;
      let last = 0;
      for (let y = 1; y < 4; y++) {
        for (let x = 1; x < 4; x++) {
          const span = spans[corner + y * across + x];
          first = Math.min(first, span & 0xffff);
          last = Math.max(last, span >>> 16);
        }
      }
      if (first === EMPTY_RANGE) continue;
      // Cells first − 1 … last + 1 are written, as the entries first … last + 2. Their sums reach over the words first … last + 6.
      weights.fill(0, first, last + 7);
      sums.fill(0, first, last + 7);
      for (let y = 0; y < 5; y++) {
        for (let x = 0; x < 5; x++) {
          const span = spans[corner + y * across + x];
          const tap = BINOMIAL[y] * BINOMIAL[x];
          const base = ((row + y - 3) * columns + column + x - 3) * planes * rawDepths;
          const end = Math.min(last + 6, (span >>> 16) + RAW_PAD);
          for (let r = Math.max(first, (span & 0xffff) + RAW_PAD); r <= end; r++) {
            const count = words[base + countAt + r] >>> countBit;
            if (count === 0) continue;
            weights[r] += tap * count;
            sums[r] += tap * (words[base + r] & mask);
          }
        }
      }
      for (let r = first; r <= last + 6; r++) {
        const weight = weights[r];
        if (weight !== 0) sums[r] += weight * bases[r - RAW_PAD];
      }
      const base = (row * (columns + 2) + column) * blurredDepths;
      for (let p = first; p <= last + 2; p++) {
        out[2 * (base + p)] = alongDepth(sums, p);
        out[2 * (base + p) + 1] = alongDepth(weights, p);
      }
    }
  }
}

function alongDepth(a: Float64Array, i: number): number {
  const outer = a[i] + a[i + 4];
  const inner = a[i + 1] + a[i + 3];
  return outer + 4 * inner + 6 * a[i + 2];
}
