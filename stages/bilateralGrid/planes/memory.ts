import type { PlaneShape } from "./shape.ts";
import { cellsOf, centresOf, positionsOf } from "./tables.ts";

/** Each cell keeps ten sums: n, Σu, Σv, Σr, Σuu, Σuv, Σvv, Σrr, Σur, Σvr. u and v are pixels from the tile's centre. */
export const SUMS = 10;
/** Numbers per residual: Σr, Σur and Σvr of how far a tile's pixels lie off its own plane. */
export const RESIDUALS = 3;
/** Numbers per plane: 1/depth at the column's centre, its growth per pixel to the right and down, the weight. */
export const PLANE = 4;
/** Numbers per entry: the inverse of the covariance of u and v (uu, uv, vv), 1 / Σ1, and the mean u and v. */
export const ENTRY = 6;
/**
 * Rows of columns whose moments, planes and residuals are kept; a power of two. The fit of a row's planes reads the moments of three rows,
 * their second fit the residuals of three.
 */
const KEPT = 4;

/** The twin's memory and tables, for frames of one shape. */
export type PlaneMemory = ReturnType<typeof planeMemory>;

/** Allocates the memory. */
export function planeMemory(shape: PlaneShape) {
  const { columns, rows, masks, axis } = shape;
  const floats = (each: number) => new Float32Array(KEPT * (columns + 2) * axis.cells * each);
  const positions = positionsOf(shape);
  return {
    /** For each column and mask: a bit for each cell that is at most one cell, or two cells, away from an occupied one. */
    index: new Int32Array(columns * rows * masks * 2),
    /** For the tile that is being built: a bit for each occupied cell, and n, Σ2u, Σ2v, Σr, Σ4uu, Σ4uv, Σ4vv, Σrr, Σ2ur, Σ2vr by cell. */
    masks: new Int32Array(masks),
    bins: new Int32Array(axis.cells * SUMS),
    /** `SUMS` by column and cell, blurred along depth; behind the last the sums of a cell without pixels. */
    moments: new Float32Array(floats(SUMS).length + SUMS),
    /** The moments of three columns side by side, for three rows, and then of all nine. */
    around: new Float32Array(4 * SUMS),
    planes: floats(PLANE),
    entries: floats(ENTRY),
    /** By column and cell; behind the last those of a cell without pixels. */
    residuals: new Float32Array(floats(RESIDUALS).length + RESIDUALS),
    /** The residuals of three columns side by side, for three rows. */
    beside: new Float32Array(3 * RESIDUALS),
    centres: centresOf(shape),
    cells: cellsOf(shape),
    /** Two words by depth: its position between cells, and its factor of steepness, which `steepness` reads as an f32. */
    positions,
    steepness: new Float32Array(positions.buffer),
  };
}

/** The index of a cell of a column in memory. Columns begin at −1 and end one behind the last. */
export const cellAt = ({ columns, axis }: PlaneShape, column: number, row: number, cell: number): number =>
  ((row & (KEPT - 1)) * (columns + 2) + column + 1) * axis.cells + cell;

/** Whether a column has pixels in a cell or within `reach` cells of it, 1 or 2. */
export function isNear(shape: PlaneShape, index: Int32Array, column: number, row: number, cell: number, reach: 1 | 2) {
  const { columns, rows, masks } = shape;
  if (column < 0 || row < 0 || column >= columns || row >= rows) return false;
  return ((index[2 * ((row * columns + column) * masks + (cell >> 5)) + reach - 1] >>> (cell & 31)) & 1) === 1;
}

/** One mask of the cells that a pixel of the 3 × 3 columns around a column lies in or next to. */
export function askedOf(shape: PlaneShape, { index }: PlaneMemory, column: number, row: number, mask: number): number {
  const { columns, rows, masks, axis } = shape;
  let bits = 0;
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
      bits |= index[2 * ((y * columns + x) * masks + mask)];
    }
  }
  // Bits from here on are beyond the axis.
  const past = Math.max(0, axis.cells - 32 * mask);
  return past > 31 ? bits : bits & ((1 << past) - 1);
}
