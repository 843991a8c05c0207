import { MOMENTS, type PlaneShape } from "./shape.ts";

/** Numbers per plane: 1/depth at the column's centre, its growth per pixel to the right and down, the weight. */
export const PLANE = 4;
/** Numbers per design: Σ1 of a fit; the mean u and v; and the inverse of the covariance of u and v: uu, uv, vv. */
export const DESIGN = 6;
/** Numbers per residual: Σr, Σur and Σvr of what a tile's pixels lie off its own plane. u and v are pixels from the tile's centre. */
export const RESIDUALS = 3;
/** Moments per cell, without the padding words: n, Σu, Σv, Σr, Σuu, Σuv, Σvv, Σrr, Σur, Σvr. */
export const SUMS = 10;
/**
 * Rows of columns whose blurred moments, planes and residuals are kept; a power of two. A second fit reads the residuals of three rows, so
 * two adjacent ones read four; those are of planes that are fitted to six rows of moments.
 */
export const KEPT = 8;

/** The scratch memory of the passes, for frames of one shape. */
export interface PlaneScratch {
  /** For each column and each 32 of its cells: a bit per occupied cell, and the number of occupied cells before these. */
  readonly index: Int32Array;
  /** `MOMENTS` words for each occupied cell. */
  readonly moments: Int32Array;
  /** The moments of all cells of the column being built. All 0 between calls. */
  readonly bins: Int32Array;
  /** The moments blurred along depth, for `KEPT` rows of columns, by cell; and the stamp of each entry (see `stampOf`). */
  readonly blurred: Float64Array;
  readonly blurredFor: Float64Array;
  /** The moments of the columns around the plane that is being fitted, and `spread` of u and v there: uu, uv, vv and their determinant. */
  readonly sum: Float64Array;
  readonly spread: Float64Array;
  /** First planes and their designs for `KEPT` rows of columns (one more column on each side), by cell; and the stamp of each entry. */
  readonly planes: Float64Array;
  readonly designs: Float64Array;
  readonly fittedFor: Float64Array;
  /** The residuals at the same places, and the planes that have been fitted again. */
  readonly residuals: Float64Array;
  readonly residualsFor: Float64Array;
  readonly refitted: Float64Array;
  readonly refittedFor: Float64Array;
  /** Where in `refitted` the eight planes around a pixel lie; −1 beyond the axis. */
  readonly around: Int32Array;
  frame: number;
}

/** Allocates the scratch memory. */
export function planeScratch({ columns, rows, masks, slots, axis }: PlaneShape): PlaneScratch {
  const kept = KEPT * columns * axis.cells;
  const planes = KEPT * (columns + 2) * axis.cells;
  return {
    index: new Int32Array(columns * rows * masks * 2),
    moments: new Int32Array(columns * rows * slots * MOMENTS),
    bins: new Int32Array(axis.cells * MOMENTS),
    blurred: new Float64Array(kept * SUMS),
    blurredFor: new Float64Array(kept),
    sum: new Float64Array(SUMS),
    spread: new Float64Array(4),
    planes: new Float64Array(planes * PLANE),
    designs: new Float64Array(planes * DESIGN),
    fittedFor: new Float64Array(planes),
    residuals: new Float64Array(planes * RESIDUALS),
    residualsFor: new Float64Array(planes),
    refitted: new Float64Array(planes * PLANE),
    refittedFor: new Float64Array(planes),
    around: new Int32Array(8),
    frame: 0,
  };
}
