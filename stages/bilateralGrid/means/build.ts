import type { DepthArray } from "../../../core/frame.ts";
import type { GridShape } from "./grid.ts";
import { EMPTY_RANGE, RANGE_PAD, RAW_PAD } from "./layout.ts";
import type { GridScratch } from "./scratch.ts";

/**
 * Splats each pixel into its cell, tile by tile. Invalid pixels and pixels beyond the axis add nothing. Writes counts and sums to `grid`,
 * and the occupied range of each column to `ranges`.
 */
export function build(depth: DepthArray, shape: GridShape, { grid, ranges, bins, counts }: GridScratch): void {
  const { width, height, space, columns, rows, rawDepths, planes, countBit } = shape;
  const { cellOf } = shape.axis;
  const [pixels, words, spans] = [depth.data, grid.data, ranges.data];
  const one = planes === 1 ? 1 << countBit : 0;
  for (let row = 0; row < rows; row++) {
    const bottom = Math.min(height, (row + 1) * space);
    for (let column = 0; column < columns; column++) {
      const left = column * space;
      const right = Math.min(width, left + space);
      // Successive pixels of the same cell are summed before they go into its bin. The first, empty run goes into the spare bin.
      let cell = bins.length - 1;
      let sum = 0;
      let count = 0;
      let first = EMPTY_RANGE;
      let last = 0;
      for (let y = row * space; y < bottom; y++) {
        const start = y * width;
        for (let x = left; x < right; x++) {
          const entry = cellOf[pixels[start + x]];
          if (entry < 0) continue;
          const to = entry >> 16;
          if (to !== cell) {
            bins[cell] += sum;
            counts[cell] += count;
            cell = to;
            sum = 0;
            count = 0;
            if (to < first) first = to;
            if (to > last) last = to;
          }
          sum = (sum + one + (entry & 0xffff)) | 0;
          count++;
        }
      }
      bins[cell] += sum;
      counts[cell] += count;
      spans[(row + RANGE_PAD) * (columns + 2 * RANGE_PAD) + column + RANGE_PAD] = first | (last << 16);
      const base = (row * columns + column) * planes * rawDepths + RAW_PAD;
      for (let c = first; c <= last; c++) {
        words[base + c] = bins[c];
        if (planes === 2) words[base + rawDepths + c] = counts[c];
        bins[c] = 0;
        counts[c] = 0;
      }
    }
  }
}
