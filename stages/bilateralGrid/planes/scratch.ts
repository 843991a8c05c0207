import { MOMENTS, type PlaneShape } from "./shape.ts";

/** Numbers of a plane: 1/depth at the column's centre, what it grows by with a pixel to the right and down, and its weight. */
export const PLANE = 4;
/** Moments but for those that fill up a cell's words: n, Σu, Σv, Σr, Σuu, Σuv, Σvv, Σrr, Σur, Σvr. */
export const SUMS = 10;
/** Rows of columns whose blurred moments are kept: the three around a row, and one to make it a power of two. */
export const KEPT = 4;

/** What the passes work on, for frames of one shape. */
export interface PlaneScratch {
  /** For each column and 32 of its cells: a bit for each that is there, and the number of those before. */
  readonly index: Int32Array;
  /** For each column and cell that is there, `MOMENTS` words. */
  readonly moments: Int32Array;
  /** A column being built, dense. All 0 between calls. */
  readonly bins: Int32Array;
  /** Blurred along depth, of `KEPT` rows of columns, by cell; and for which frame and row (see `stampOf`). */
  readonly blurred: Float64Array;
  readonly blurredFor: Float64Array;
  /** Planes of two rows of columns (one column more on each side), by cell; and for which frame and row. */
  readonly planes: Float64Array;
  readonly fittedFor: Float64Array;
  frame: number;
}

/** Allocates scratch. */
export function planeScratch({ columns, rows, masks, slots, axis }: PlaneShape): PlaneScratch {
  const kept = KEPT * columns * axis.cells;
  const planes = 2 * (columns + 2) * axis.cells;
  return {
    index: new Int32Array(columns * rows * masks * 2),
    moments: new Int32Array(columns * rows * slots * MOMENTS),
    bins: new Int32Array(axis.cells * MOMENTS),
    blurred: new Float64Array(kept * SUMS),
    blurredFor: new Float64Array(kept),
    planes: new Float64Array(planes * PLANE),
    fittedFor: new Float64Array(planes),
    frame: 0,
  };
}
