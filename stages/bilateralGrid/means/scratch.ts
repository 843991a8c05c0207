import type { NdArray } from "ndarray";
import { image } from "../../../core/frame.ts";
import type { GridShape } from "./grid.ts";
import { EMPTY_RANGE, RANGE_PAD } from "./layout.ts";

/** Counts and sums per cell, shape `[rows, columns, planes, rawDepths]` (see `GridShape`). Only the cells in a column's range are valid. */
type RawGrid = NdArray<Int32Array>;
/** The first and last occupied cell of each column as first | last << 16, shape `[rows + 6, columns + 6]`; `EMPTY_RANGE` all around. */
type Ranges = NdArray<Int32Array>;
/**
 * The weighted depth sum and the weight of each cell, shape `[rows + 2, columns + 2, blurredDepths, 2]`. Only the cells next to occupied
 * ones are valid. Stored as f32, as on the GPU, but computed in f64, so the two differ by about 2^-22 of a depth: a dozen roundings to f32
 * for each pixel would double the twin's time.
 */
type BlurredGrid = NdArray<Float32Array>;

/** The scratch memory of the three passes, for frames of one shape. */
export interface GridScratch {
  readonly grid: RawGrid;
  readonly ranges: Ranges;
  readonly blurred: BlurredGrid;
  /** One entry per cell of the column being built, and one spare; all 0 between calls. */
  readonly bins: Int32Array;
  readonly counts: Int32Array;
  /** One entry per raw word of the column being blurred. */
  readonly sums: Float64Array;
  readonly weights: Float64Array;
}

/** Allocates the scratch memory. */
export function gridScratch({ columns, rows, rawDepths, blurredDepths, planes, axis }: GridShape): GridScratch {
  const [spanRows, spanColumns] = [rows + 2 * RANGE_PAD, columns + 2 * RANGE_PAD];
  const pairs = (rows + 2) * (columns + 2) * blurredDepths;
  return {
    grid: image(new Int32Array(rows * columns * planes * rawDepths), [rows, columns, planes, rawDepths]),
    ranges: image(new Int32Array(spanRows * spanColumns).fill(EMPTY_RANGE), [spanRows, spanColumns]),
    blurred: image(new Float32Array(pairs * 2), [rows + 2, columns + 2, blurredDepths, 2]),
    bins: new Int32Array(axis.cells + 1),
    counts: new Int32Array(axis.cells + 1),
    sums: new Float64Array(rawDepths + 4),
    weights: new Float64Array(rawDepths + 4),
  };
}
