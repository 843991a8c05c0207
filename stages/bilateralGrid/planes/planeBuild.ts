import type { DepthArray } from "../../../core/frame.ts";
import type { PlaneScratch } from "./scratch.ts";
import { MOMENTS, type PlaneShape } from "./shape.ts";

/** Adds each pixel to the moments of its cell, tile by tile, and packs the occupied cells of each tile. */
export function planeBuild(depth: DepthArray, shape: PlaneShape, { index, moments, bins }: PlaneScratch): void {
  const { width, height, space, inset, columns, rows, masks, slots, entryOf, squareShift } = shape;
  const pixels = depth.data;
  const words = MOMENTS;
  for (let row = 0; row < rows; row++) {
    const top = row * space;
    const bottom = Math.min(height, top + space);
    for (let column = 0; column < columns; column++) {
      const left = column * space - inset;
      const right = Math.min(width, left + space);
      const own = (row * columns + column) * masks * 2;
      index.fill(0, own, own + masks * 2);
      for (let y = top; y < bottom; y++) {
        const v = y - top;
        for (let x = Math.max(0, left); x < right; x++) {
          const entry = entryOf[pixels[y * width + x]];
          if (entry < 0) continue;
          const u = x - left;
          const r = (entry << 16) >> 16;
          const cell = entry >> 16;
          const at = cell * words;
          index[own + 2 * (cell >> 5)] |= 1 << (cell & 31);
          bins[at] += 1;
          bins[at + 1] += u;
          bins[at + 2] += v;
          bins[at + 3] += r;
          bins[at + 4] += u * u;
          bins[at + 5] += u * v;
          bins[at + 6] += v * v;
          bins[at + 7] += (r * r) >> squareShift;
          bins[at + 8] += u * r;
          bins[at + 9] += v * r;
        }
      }
      let count = 0;
      for (let mask = 0; mask < masks; mask++) {
        index[own + 2 * mask + 1] = count;
        for (let bits = index[own + 2 * mask]; bits !== 0; bits &= bits - 1) {
          const from = (32 * mask + 31 - Math.clz32(bits & -bits)) * words;
          const to = ((row * columns + column) * slots + count++) * words;
          for (let word = 0; word < words; word++) {
            moments[to + word] = bins[from + word];
            bins[from + word] = 0;
          }
        }
      }
    }
  }
}
