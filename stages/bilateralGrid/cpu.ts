import type { NdArray } from "ndarray";
import { type DepthArray, image } from "../../sources/core/frame.ts";
import type { Twin } from "../core/stage.ts";
import type { GridShape } from "./grid.ts";
import { EMPTY_RANGE, RANGE_PAD, RAW_PAD } from "./layout.ts";

/** Counts and sums per cell, shape `[rows, columns, planes, rawDepths]` (see `GridShape`). Only the cells in a column's range are valid. */
export type RawGrid = NdArray<Int32Array>;
/** The first and last occupied cell of each column as first | last << 16, shape `[rows + 6, columns + 6]`; `EMPTY_RANGE` all around. */
export type Ranges = NdArray<Int32Array>;
/**
 * The weighted depth sum and the weight of each cell, shape `[rows + 2, columns + 2, blurredDepths, 2]`. Only the cells next to occupied
 * ones are valid. Stored as f32, as on the GPU, but computed in f64, so the two differ by about 2^-22 of a depth.
 */
export type BlurredGrid = NdArray<Float32Array>;

/** The taps of a Gaussian whose sigma is one cell. */
const BINOMIAL = [1, 4, 6, 4, 1] as const;

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
      // The entries first … last + 2 (cells first − 1 … last + 1) are sums over the words first … last + 6.
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

/**
 * Reads the blurred grid at each pixel's position and depth by trilinear interpolation of sum and weight, and rounds their quotient once. A
 * valid pixel stays valid. Invalid pixels and pixels beyond the axis are copied.
 */
export function slice(depth: DepthArray, shape: GridShape, { blurred }: GridScratch, filtered: DepthArray): void {
  const { width, height, space, columns, blurredDepths } = shape;
  const { positionOf } = shape.axis;
  const [pixels, grid, out] = [depth.data, blurred.data, filtered.data];
  const across = 2 * blurredDepths;
  const down = across * (columns + 2);
  const step = 1 / space;
  const tick = 1 / 65536;
  for (let y = 0; y < height; y++) {
    // Row coordinate in columns, counted from the centre of the row above the first.
    const v = (2 * y + 1 + space) / (2 * space);
    const above = Math.floor(v);
    const fy = v - above;
    for (let between = 0; between <= columns; between++) {
      const start = between * space - space / 2;
      const left = Math.max(0, start);
      const right = Math.min(width, start + space);
      const base = above * down + between * across;
      // Neighbouring pixels mostly lie between the same eight cells. These are interpolated along y once for the whole run, which leaves
      // sum = a + x·b + z·(c + x·d), and likewise for the weight.
      let held = -1;
      let a = 0.5;
      let b = 0.5;
      let c = 0.5;
      let d = 0.5;
      let wa = 0.5;
      let wb = 0.5;
      let wc = 0.5;
      let wd = 0.5;
      for (let x = left; x < right; x++) {
        const at = (y * width + x) | 0;
        const pixel = pixels[at];
        const position = positionOf[pixel];
        if (position < 0) {
          out[at] = pixel;
          continue;
        }
        const p = position >> 16;
        if (p !== held) {
          held = p;
          const i = (base + 2 * p) | 0;
          const j = (i + across) | 0;
          a = mixed(grid, i, down, fy);
          b = mixed(grid, j, down, fy) - a;
          c = mixed(grid, i + 2, down, fy) - a;
          d = mixed(grid, j + 2, down, fy) - a - b - c;
          wa = mixed(grid, i + 1, down, fy);
          wb = mixed(grid, j + 1, down, fy) - wa;
          wc = mixed(grid, i + 3, down, fy) - wa;
          wd = mixed(grid, j + 3, down, fy) - wa - wb - wc;
        }
        const fx = (x - start + 0.5) * step;
        const fz = (position & 0xffff) * tick;
        const mean = ((a + fx * b + fz * (c + fx * d)) / (wa + fx * wb + fz * (wc + fx * wd)) + 0.5) | 0;
        out[at] = mean > 0 ? mean : 1;
      }
    }
  }
}

function mixed(grid: Float32Array, i: number, down: number, t: number): number {
  const near = grid[i];
  return near + t * (grid[(i + down) | 0] - near);
}

/** The filter as a CPU twin. Its output array is reused for the next frame. */
export function gridTwin(shape: GridShape): Twin {
  const { width, height } = shape;
  const scratch = gridScratch(shape);
  const filtered = image(new Uint16Array(width * height), [height, width]);
  return {
    run(frame) {
      build(frame.depth, shape, scratch);
      blur(shape, scratch);
      slice(frame.depth, shape, scratch, filtered);
      frame.depth = filtered;
    },
  };
}
