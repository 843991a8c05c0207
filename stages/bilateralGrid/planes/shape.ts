import { ParameterError } from "../../parameters.ts";
import { type DepthAxis, depthAxis, OFF_AXIS } from "../depthAxis.ts";
import { type GridParameters, MAX_BYTES } from "../grid.ts";

/**
 * The shape of a grid whose cells hold what a plane is fitted from. A column is one σ×σ tile of pixels, and has room for as
 * many cells as it has pixels: only those that a pixel lies in are kept, the nearest first.
 *
 *   index:    for each 32 cells of a column, which of them are there (a bit each), and how many are before them
 *   moments:  twelve words for each cell that is there: MOMENTS
 *
 * So memory goes by pixels, not by how long the depth axis is, and nothing has to be cleared.
 */
export interface PlaneShape {
  readonly width: number;
  readonly height: number;
  /** σ in pixels: a tile's width and height. */
  readonly space: number;
  /** The first tile begins so many pixels left of the frame, so that all centres lie between words of two pixels, or in one's middle. */
  readonly inset: number;
  readonly columns: number;
  readonly rows: number;
  readonly axis: DepthAxis;
  /** Pairs of words in a column's index, a multiple of 4, so that a sigma a little other finds the same room. */
  readonly masks: number;
  /** Cells a column has room for. */
  readonly slots: number;
  /** By cell: the depth of its middle, c. */
  readonly centres: Float64Array;
  /**
   * By depth: cell << 16 | r as a signed 16-bit number, in 1/`scale` of a depth unit; `OFF_AXIS` for what takes no part.
   * r = c − c²/depth: near the middle of a cell r is depth − c, and it is linear in the image where the surface is a plane.
   * It is a cell's length at most, but in the first cell, where it goes on without end as depth goes to 0: what lies nearer
   * than a sixth of that cell takes no part.
   */
  readonly entryOf: Int32Array<ArrayBuffer>;
  /** As the axis has it, but for what takes no part. */
  readonly positionOf: Int32Array<ArrayBuffer>;
  /** A power of two. */
  readonly scale: number;
  /** So many low bits are left out of each r². */
  readonly squareShift: number;
  /** Range sigma in depth units: sigma + sigmaGrowth · depth², 1 at least. */
  readonly sigma: number;
  readonly sigmaGrowth: number;
}

/** Words of a cell: n, Σu, Σv, Σr, Σuu, Σuv, Σvv, Σrr, Σur, Σvr, and two to fill it up. u and v count pixels from the tile's corner. */
export const MOMENTS = 12;

/** Plans the grid of a `width` × `height` frame. Throws a `ParameterError` if it would be too large. */
export function planeShape(
  width: number,
  height: number,
  metresPerUnit: number,
  parameters: GridParameters,
  maxBytes = MAX_BYTES,
): PlaneShape {
  const { sigmaSpacePx: space, sigmaDepthMm, sigmaDepthPerM2Mm, maxDepthM } = parameters;
  const axis = depthAxis(parameters, metresPerUnit);
  const inset = Number(space % 4 === 2);
  const [columns, rows] = [Math.ceil((width + inset) / space), Math.ceil(height / space)];
  const slots = space * space;
  const masks = Math.ceil(axis.cells / 128) * 4;
  // All columns' cells; or, on the CPU, what four rows of columns may need.
  const bytes = Math.max(columns * rows * Math.max(slots * MOMENTS, masks * 2) * 4, columns * axis.cells * 4 * 88);
  if (bytes > maxBytes || axis.cells > 0x7fff) {
    throw new ParameterError(
      `bilateralGrid: a grid of planes in ${columns} × ${rows} × ${axis.cells} cells is too large (${Math.ceil(bytes / 2 ** 20)} MiB ` +
        `of ${Math.floor(maxBytes / 2 ** 20)}, ${axis.cells} cells along depth of ${0x7fff}): ` +
        `raise sigmaSpacePx (${space}) or sigmaDepthMm (${sigmaDepthMm}), or lower maxDepthM (${maxDepthM})`,
    );
  }
  const lengths = Float64Array.from({ length: axis.cells }, (_, cell) => lengthOf(axis, cell));
  const centres = lengths.map((length, cell) => axis.bases[cell] + (length - 1) / 2);
  // Sums over a tile have to fit in 31 bits, and r in 16.
  const room = Math.min(2 ** 15 - 1, 2 ** 31 / space ** 3);
  const longest = lengths.reduce((a, b) => Math.max(a, b));
  const scale = 2 ** Math.floor(Math.log2(room / longest));
  const squareShift = Math.max(0, Math.ceil(Math.log2((space * longest * scale) ** 2)) - 31);
  // Loops, not maps: a slider that is dragged asks for these tables with every frame.
  const entryOf = new Int32Array(65536).fill(OFF_AXIS);
  const positionOf = axis.positionOf.slice();
  for (let cell = 0; cell < axis.cells; cell++) {
    const [centre, length, first] = [centres[cell], lengths[cell], Math.max(1, axis.bases[cell])];
    for (let depth = first; depth < axis.bases[cell] + length; depth++) {
      const r = centre - (centre * centre) / depth;
      if (r < -length) positionOf[depth] = OFF_AXIS;
      else entryOf[depth] = (cell << 16) | (Math.round(r * scale) & 0xffff);
    }
  }
  const units = 0.001 / metresPerUnit;
  const [sigma, sigmaGrowth] = [sigmaDepthMm * units, sigmaDepthPerM2Mm * units * metresPerUnit ** 2];
  return {
    width,
    height,
    space,
    columns,
    rows,
    axis,
    masks,
    slots,
    centres,
    entryOf,
    positionOf,
    scale,
    squareShift,
    inset,
    sigma,
    sigmaGrowth,
  };
}

/** Depth units to a cell; the last one may go on past the axis, where no pixel is. */
function lengthOf({ bases, farthest }: DepthAxis, cell: number): number {
  return Math.min(bases[cell + 1], farthest + 1) - bases[cell];
}

/** The range sigma at a depth, both in depth units. */
export const sigmaAt = ({ sigma, sigmaGrowth }: PlaneShape, depth: number): number =>
  Math.max(1, sigma + sigmaGrowth * depth * depth);
