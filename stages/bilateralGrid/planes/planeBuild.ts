import type { DepthArray } from "../../../core/frame.ts";
import { KEPT, type PlaneScratch, SUMS } from "./scratch.ts";
import { MOMENTS, type PlaneShape } from "./shape.ts";

/** The taps of the blur along depth. In the image the taps are 1 2 1. */
export const DEPTH_TAPS = [1, 4, 6, 4, 1] as const;

/** The number of bits set in a word. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Marks the scratch entries of this frame and row: an entry with another stamp is out of date. Rows begin at −1. */
export const stampOf = ({ rows }: PlaneShape, { frame }: PlaneScratch, row: number): number =>
  frame * (rows + 2) + row + 2;

/**
 * Blurs the moments of one column along depth (1 4 6 4 1) at one cell, and returns their index in `blurred`. The moments refer to the
 * tile's corner; each neighbouring cell's r is converted to this cell's.
 */
export function planeBlur(column: number, row: number, cell: number, shape: PlaneShape, scratch: PlaneScratch): number {
  const { columns, masks, slots, centres, steps, squareShift } = shape;
  const { index, moments, blurred, blurredFor } = scratch;
  const kept = ((row % KEPT) * columns + column) * centres.length + cell;
  const to = kept * SUMS;
  const stamp = stampOf(shape, scratch, row);
  if (blurredFor[kept] === stamp) return to;
  blurredFor[kept] = stamp;
  blurred.fill(0, to, to + SUMS);
  const first = Math.max(0, cell - 2);
  const many = Math.min(cell + 2, centres.length - 1) - first + 1;
  const [mask, shift] = [first >> 5, first & 31];
  const own = ((row * columns + column) * masks + mask) * 2;
  let bits = index[own] >>> shift;
  if (shift > 27 && mask + 1 < masks) bits |= index[own + 2] << (32 - shift);
  bits &= (1 << many) - 1;
  if (bits === 0) return to;
  let at = ((row * columns + column) * slots + index[own + 1] + bitCount(index[own] & ((1 << shift) - 1))) * MOMENTS;
  for (; bits !== 0; bits &= bits - 1, at += MOMENTS) {
    const from = first + 31 - Math.clz32(bits & -bits);
    const k = DEPTH_TAPS[from - cell + 2];
    // 1/depth = (1 − r/c)/c, so one cell's r is linear in another's.
    const ratio = centres[cell] / centres[from];
    const a = ratio * ratio * steps[from];
    const b = centres[cell] * (1 - ratio);
    const [n, u, v, r] = [moments[at], moments[at + 1], moments[at + 2], moments[at + 3]];
    blurred[to] += k * n;
    blurred[to + 1] += k * u;
    blurred[to + 2] += k * v;
    blurred[to + 3] += k * (a * r + b * n);
    blurred[to + 4] += k * moments[at + 4];
    blurred[to + 5] += k * moments[at + 5];
    blurred[to + 6] += k * moments[at + 6];
    blurred[to + 7] += k * (a * a * 2 ** squareShift * moments[at + 7] + 2 * a * b * r + b * b * n);
    blurred[to + 8] += k * (a * moments[at + 8] + b * u);
    blurred[to + 9] += k * (a * moments[at + 9] + b * v);
  }
  return to;
}

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
