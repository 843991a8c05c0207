import { type FactDepth, valueAt } from "../../core/work.ts";
import { bitCount } from "./fit.ts";
import type { PlaneShape } from "./shape.ts";

/** The parts of the grid that a frame uses. */
export interface Occupied {
  /** Cells with pixels. */
  readonly cells: number;
  /** Planes to fit: in each column those of the cells that a pixel of the surrounding 3 × 3 columns lies in or next to. */
  readonly planes: number;
}

/** Empty columns on each side of the grid: planes are fitted for one column beyond it, each from that column and those on both sides. */
const MARGIN = 2;

/** Counts the cells that the pixels of a frame lie in, and the planes that planeFit.wgsl lists for them. */
export function occupiedBy(
  { columns, rows, space, inset, masks, entryOf, axis }: PlaneShape,
  depth: FactDepth,
): Occupied {
  const across = columns + 2 * MARGIN;
  const down = rows + 2 * MARGIN;
  /** By column: a bit for each cell that has pixels. */
  const bits = new Uint32Array(across * down * masks);
  for (let y = 0; y < depth.height; y++) {
    const row = (Math.floor(y / space) + MARGIN) * across + MARGIN;
    for (let x = 0; x < depth.width; x++) {
      const cell = entryOf[valueAt(depth, x, y)] >> 16;
      if (cell >= 0) bits[(row + Math.floor((x + inset) / space)) * masks + (cell >> 5)] |= 1 << (cell & 31);
    }
  }
  let [cells, planes] = [0, 0];
  for (const word of bits) cells += bitCount(word);
  const around = new Uint32Array(masks);
  for (let y = 1; y < down - 1; y++) {
    for (let x = 1; x < across - 1; x++) {
      for (let mask = 0; mask < masks; mask++) {
        let found = 0;
        for (let dy = -1; dy <= 1; dy++) {
          for (let dx = -1; dx <= 1; dx++) found |= bits[((y + dy) * across + x + dx) * masks + mask];
        }
        around[mask] = found;
      }
      for (let mask = 0; mask < masks; mask++) {
        const [before, own, after] = [around[mask - 1] ?? 0, around[mask], around[mask + 1] ?? 0];
        const asked = own | (own << 1) | (own >>> 1) | (before >>> 31) | (after << 31);
        // Bits from here on are beyond the axis.
        const past = axis.cells - 32 * mask;
        planes += bitCount(past > 31 ? asked : past > 0 ? asked & ((1 << past) - 1) : 0);
      }
    }
  }
  return { cells, planes };
}
