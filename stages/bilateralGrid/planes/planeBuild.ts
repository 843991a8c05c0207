import type { DepthArray } from "../../../core/frame.ts";
import { cellAt, type PlaneMemory, SUMS } from "./memory.ts";
import { DEPTH_TAPS, type PlaneShape } from "./shape.ts";

const { fround } = Math;

/** Sums up a row of tiles: for each cell that is occupied or within two cells of an occupied one, the moments, blurred along depth. */
export function planeBuild(depth: DepthArray, row: number, shape: PlaneShape, memory: PlaneMemory): void {
  const { columns } = shape;
  for (let column = 0; column < columns; column++) {
    add(depth, column, row, shape, memory);
    for (let mask = 0; mask < shape.masks; mask++) {
      let bits = bitsOf(column, row, mask, shape, memory);
      for (; bits !== 0; bits &= bits - 1) {
        const cell = 32 * mask + 31 - Math.clz32(bits & -bits);
        if (cell < shape.axis.cells) blur(column, row, cell, shape, memory);
      }
    }
    memory.masks.fill(0);
    memory.bins.fill(0);
  }
}

/** Adds the pixels of a tile to their cells. */
function add({ data }: DepthArray, column: number, row: number, shape: PlaneShape, { masks, bins }: PlaneMemory): void {
  const { width, height, space, inset, entryOf, squareShift } = shape;
  const left = column * space - inset;
  const top = row * space;
  for (let y = top; y < Math.min(height, top + space); y++) {
    const v = 2 * (y - top) - (space - 1);
    for (let x = Math.max(0, left); x < Math.min(width, left + space); x++) {
      const entry = entryOf[data[y * width + x]];
      if (entry < 0) continue;
      const cell = entry >> 16;
      const r = (entry << 16) >> 16;
      const u = 2 * (x - left) - (space - 1);
      masks[cell >> 5] |= 1 << (cell & 31);
      const at = cell * SUMS;
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
}

/**
 * Writes two masks: the cells that are occupied or beside an occupied cell, and the cells within two cells of an occupied one; returns the
 * second.
 */
function bitsOf(column: number, row: number, mask: number, shape: PlaneShape, { masks, index }: PlaneMemory): number {
  const at = 2 * ((row * shape.columns + column) * shape.masks + mask);
  const bits = masks[mask];
  const under = mask > 0 ? masks[mask - 1] : 0;
  const above = mask + 1 < shape.masks ? masks[mask + 1] : 0;
  index[at] = bits | (bits << 1) | (bits >>> 1) | (under >>> 31) | (above << 31);
  index[at + 1] = index[at] | (bits << 2) | (bits >>> 2) | (under >>> 30) | (above << 30);
  return index[at + 1];
}

/** Blurs the moments around a cell along depth (1 4 6 4 1), and writes them. */
function blur(column: number, row: number, cell: number, shape: PlaneShape, memory: PlaneMemory): void {
  const { axis, squareShift } = shape;
  const { bins, moments, centres } = memory;
  const centre = centres[3 * cell];
  const to = cellAt(shape, column, row, cell) * SUMS;
  moments.fill(0, to, to + SUMS);
  for (let from = Math.max(0, cell - 2); from <= Math.min(cell + 2, axis.cells - 1); from++) {
    const at = from * SUMS;
    const n = bins[at];
    if (n === 0) continue;
    const number = from + 2 - cell;
    const k = DEPTH_TAPS[number];
    // 1/depth = (1 − r/c)/c, so one cell's r is linear in another's, r · scale + n · base.
    const ratio = number === 2 ? 1 : fround(centre * centres[3 * from + 1]);
    const scale = fround(ratio * ratio) * centres[3 * from + 2];
    const base = fround(centre * fround(1 - ratio));
    const u = 0.5 * fround(bins[at + 1]);
    const v = 0.5 * fround(bins[at + 2]);
    const r = fround(bins[at + 3]);
    const rr = fround(bins[at + 7]);
    const ur = 0.5 * fround(bins[at + 8]);
    const vr = 0.5 * fround(bins[at + 9]);
    const inR = fround(k * scale);
    const inN = fround(k * base);
    const inRrOfRr = fround(k * (fround(scale * scale) * 2 ** squareShift));
    const inRrOfR = fround(k * (2 * fround(scale * base)));
    const inRrOfN = fround(k * fround(base * base));
    moments[to] += k * n;
    moments[to + 1] += k * u;
    moments[to + 2] += k * v;
    moments[to + 3] += fround(fround(inR * r) + fround(inN * n));
    moments[to + 4] += k * (0.25 * fround(bins[at + 4]));
    moments[to + 5] += k * (0.25 * fround(bins[at + 5]));
    moments[to + 6] += k * (0.25 * fround(bins[at + 6]));
    moments[to + 7] += fround(fround(fround(inRrOfRr * rr) + fround(inRrOfR * r)) + fround(inRrOfN * n));
    moments[to + 8] += fround(fround(inR * ur) + fround(inN * u));
    moments[to + 9] += fround(fround(inR * vr) + fround(inN * v));
  }
}
