import { ParameterError } from "../../core/parameters.ts";
import { type DepthAxis, depthAxis, type RangeSigma } from "../depthAxis.ts";

/** The stage's parameters that shape the grid. */
export interface GridParameters extends RangeSigma {
  readonly sigmaSpacePx: number;
}

/**
 * The shape of a grid. A column is one tile of σ × σ pixels; its depth cells lie side by side in memory:
 *
 *   raw column:      word r holds cell r − 3      · · · 0 1 2 3 … cells−1 · ·      (rawDepths words, a multiple of 4)
 *   blurred column:  entry p holds cell p − 1         · 0 1 2 3 … cells−1 ·        (blurredDepths entries, likewise)
 *
 * So the four blurred cells 4j … 4j+3 need the raw words 4j … 4j+7: two aligned 128-bit loads. The blurred grid has one more column on each
 * side, towards which the pixels at the frame's border interpolate.
 */
export interface GridShape {
  readonly width: number;
  readonly height: number;
  /** Sigma in pixels: the width and height of a tile. */
  readonly space: number;
  readonly columns: number;
  readonly rows: number;
  /** Rounded up in steps, so that a small change of sigma needs no other buffers. */
  readonly rawDepths: number;
  readonly blurredDepths: number;
  /** A raw word is count << countBit | sum of in-cell offsets; 0 if the two do not fit in one word (wide tiles, long cells). */
  readonly countBit: number;
  /** 1, or 2 if the counts have words of their own, which follow the sums at a distance of `rawDepths` words. */
  readonly planes: 1 | 2;
  readonly axis: DepthAxis;
}

/** The limit for the blurred grid, in bytes. That grid is about two thirds of the filter's memory. */
export const MAX_BYTES = 2 ** 29;
/** The limit for cells along depth: `cellOf` packs a cell's number and an offset into one signed word. */
const MAX_CELLS = 0x7fff;

/** Plans the grid for a frame of `width` × `height` pixels. Throws a `ParameterError` if the grid would be too large. */
export function gridShape(
  width: number,
  height: number,
  metresPerUnit: number,
  parameters: GridParameters,
  maxBytes = MAX_BYTES,
): GridShape {
  // The width of a tile is even and at least 4.
  const space = Math.max(4, 2 * Math.round(parameters.sigmaSpacePx / 2));
  const axis = depthAxis(parameters, metresPerUnit);
  const [columns, rows] = [Math.ceil(width / space), Math.ceil(height / space)];
  const leastDepths = Math.ceil((axis.cells + 2) / 4) * 4;
  // The blurred grid, or the raw one if that has two planes, including the cells around them.
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
  // A full tile counts σ² pixels, so the count's bits must hold σ² itself.
  const room = Math.clz32(space * space);
  const fits = space * space * axis.maxOffset < 2 ** room;
  const [planes, countBit] = fits ? ([1, room] as const) : ([2, 0] as const);
  const step = Math.max(4, 2 ** (Math.floor(Math.log2(leastDepths)) - 2));
  const roomyDepths = Math.ceil(leastDepths / step) * step;
  const blurredDepths = bytesOf(roomyDepths) > maxBytes ? leastDepths : roomyDepths;
  const rawDepths = blurredDepths + 4;
  return { width, height, space, columns, rows, rawDepths, blurredDepths, planes, countBit, axis };
}
