import { ParameterError } from "../parameters.ts";
import { type DepthAxis, depthAxis, type RangeSigma } from "./depthAxis.ts";

/** The stage's parameters. */
export interface GridParameters extends RangeSigma {
  readonly sigmaSpacePx: number;
}

/**
 * The shape of a grid. A column is one σ×σ tile of pixels; its depth cells lie side by side in memory.
 *
 *   raw column:      word r holds cell r − 3      · · · 0 1 2 3 … cells−1 · ·      (rawDepths words, a multiple of 4)
 *   blurred column:  entry p holds cell p − 1         · 0 1 2 3 … cells−1 ·        (blurredDepths entries, likewise)
 *
 * so that the four blurred cells 4j … 4j+3 need the raw words 4j … 4j+7: two aligned 128-bit loads.
 * The blurred grid has one column more on each side, which the pixels at the frame's border interpolate towards.
 */
export interface GridShape {
  readonly width: number;
  readonly height: number;
  /** σ in pixels. */
  readonly space: number;
  readonly columns: number;
  readonly rows: number;
  /** Rounded up in steps, so that a sigma a little other finds the same room. */
  readonly rawDepths: number;
  readonly blurredDepths: number;
  /** A raw word is count << countBit | Σ of in-cell offsets; 0 if they do not fit together (wide tiles, long cells). */
  readonly countBit: number;
  /** 1; or 2 if the counts have words of their own, `rawDepths` after those of the sums. */
  readonly planes: 1 | 2;
  readonly axis: DepthAxis;
}

/** Cells before the first in a raw column. */
export const RAW_PAD = 3;
/** Columns of empty ranges on each side of the grid, so that nobody has to ask where it ends. */
export const RANGE_PAD = 3;
/** The range of a column with no valid pixel: first 65535, last 0. */
export const EMPTY_RANGE = 0x0000ffff;

/** Bytes of the blurred grid, which is two thirds of the memory that the filter takes. */
export const MAX_BYTES = 2 ** 29;
/** A cell's number and a depth's offset in it share a signed word. */
const MAX_CELLS = 0x7fff;

/** Plans the grid of a `width` × `height` frame. Throws a `ParameterError` if it would have too many cells. */
export function gridShape(
  width: number,
  height: number,
  metresPerUnit: number,
  parameters: GridParameters,
  maxBytes = MAX_BYTES,
): GridShape {
  // Tiles are of an even width, of 4 and more.
  const space = Math.max(4, 2 * Math.round(parameters.sigmaSpacePx / 2));
  const axis = depthAxis(parameters, metresPerUnit);
  const [columns, rows] = [Math.ceil(width / space), Math.ceil(height / space)];
  const leastDepths = Math.ceil((axis.cells + 2) / 4) * 4;
  // The blurred grid, and the raw one if it has two planes, with what they have around them.
  const bytesOf = (depths: number) => (columns + 7) * (rows + 7) * (depths + 4) * 8;
  const bytes = bytesOf(leastDepths);
  if (bytes > maxBytes || axis.cells > MAX_CELLS) {
    const { sigmaDepthMm, maxDepthM } = parameters;
    throw new ParameterError(
      `bilateralGrid: a grid of ${columns} × ${rows} × ${axis.cells} cells is too large (${Math.ceil(bytes / 2 ** 20)} MiB ` +
        `of ${Math.floor(maxBytes / 2 ** 20)}, ${axis.cells} cells along depth of ${MAX_CELLS}): ` +
        `raise sigmaSpacePx (${space}) or sigmaDepthMm (${sigmaDepthMm}), or lower maxDepthM (${maxDepthM})`,
    );
  }
  // A full tile counts σ² pixels, and σ² itself has to fit.
  const room = Math.clz32(space * space);
  const fits = space * space * axis.maxOffset < 2 ** room;
  const [planes, countBit] = fits ? ([1, room] as const) : ([2, 0] as const);
  const step = Math.max(4, 2 ** (Math.floor(Math.log2(leastDepths)) - 2));
  const roomyDepths = Math.ceil(leastDepths / step) * step;
  const blurredDepths = bytesOf(roomyDepths) > maxBytes ? leastDepths : roomyDepths;
  const rawDepths = blurredDepths + 4;
  return { width, height, space, columns, rows, rawDepths, blurredDepths, planes, countBit, axis };
}
