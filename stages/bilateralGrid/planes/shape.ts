import { ParameterError } from "../../core/parameters.ts";
import { type DepthAxis, depthAxis, OFF_AXIS } from "../depthAxis.ts";
import { type GridParameters, MAX_BYTES } from "../means/grid.ts";

/** The stage's parameters that shape the grid and the blend of its planes. */
export interface PlaneParameters extends GridParameters {
  /** From 0 to 1; 0 if not given. */
  readonly softness?: number;
}

/** A pixel counts a quarter for a plane whose residual is `RESIDUAL`·√2 sigmas, or with a softness of 1 `SOFT` times as many. */
const RESIDUAL = 0.28;
const SOFT = 3;
/** A plane's weight is 1 / (1 + q)⁴, where q is the variance of its pixels' residuals over the square of this share of sigma. */
export const FLATNESS = 0.46;
/** The taps of the blur along depth. In the image the taps are 1 2 1. */
export const DEPTH_TAPS = [1, 4, 6, 4, 1] as const;

/**
 * The shape of a grid whose cells hold the moments that planes are fitted to. A column is one tile of σ × σ pixels. Each cell of a column
 * has its place in memory; masks tell which cells have pixels in or near them, so nothing has to be cleared.
 */
export interface PlaneShape {
  readonly width: number;
  readonly height: number;
  /** Sigma in pixels: the width and height of a tile. */
  readonly space: number;
  /**
   * The first tile begins this many pixels left of the frame, so that every column centre lies between two words of pixels, or in the
   * middle of a word.
   */
  readonly inset: number;
  readonly columns: number;
  readonly rows: number;
  readonly axis: DepthAxis;
  /** Pairs of words in a column's masks: a multiple of 4, so that a small change of sigma needs no other buffers. */
  readonly masks: number;
  /** For each cell: c, the depth of its centre. */
  readonly centres: Float64Array;
  /**
   * For each depth: cell << 16 | r as a signed 16-bit number in the cell's step; or `OFF_AXIS`. r = c − c²/depth: near a cell's centre r is
   * depth − c, and on a plane r is linear in the image. |r| is at most a cell's length, except in the first cell, where r has no bound as
   * depth goes to 0; depths nearer than a sixth of that cell get `OFF_AXIS`.
   */
  readonly entryOf: Int32Array<ArrayBuffer>;
  /** As the axis's `positionOf`, with `OFF_AXIS` for the same depths as in `entryOf`. */
  readonly positionOf: Int32Array<ArrayBuffer>;
  /** For each cell: the unit of its r in `entryOf`, in depth units; a power of two. */
  readonly steps: Float64Array;
  /** The number of low bits dropped from each r². */
  readonly squareShift: number;
  /** The range sigma in depth units is sigma + sigmaGrowth · depth², and at least 1. */
  readonly sigma: number;
  readonly sigmaGrowth: number;
  /** The share of a second plane's slope that is added to the first plane's. */
  readonly slope: number;
  /** A pixel counts a quarter for a plane whose residual is this many sigmas. */
  readonly agreement: number;
}

/** Words per cell on the GPU: n, Σu, Σv, Σr, Σuu, Σuv, Σvv, Σrr, Σur, Σvr, and two of padding. */
const MOMENTS = 12;

/** Plans the grid for a frame of `width` × `height` pixels. Throws a `ParameterError` if it would be too large. */
export function planeShape(
  width: number,
  height: number,
  metresPerUnit: number,
  parameters: PlaneParameters,
  maxBytes = MAX_BYTES,
): PlaneShape {
  const { sigmaSpacePx: space, sigmaDepthMm, sigmaDepthPerM2Mm, maxDepthM, softness = 0 } = parameters;
  const axis = depthAxis(parameters, metresPerUnit);
  const inset = Number(space % 4 === 2);
  const [columns, rows] = [Math.ceil((width + inset) / space), Math.ceil(height / space)];
  const masks = Math.ceil(axis.cells / 128) * 4;
  // The memory of the rows needed at a time: on the GPU index and moments of six and planes of four, on the CPU the scratch memory of four.
  const bytes = columns * Math.max(6 * masks * 32 * MOMENTS * 4, axis.cells * 4 * 88);
  if (bytes > maxBytes || axis.cells > 0x7fff) {
    throw new ParameterError(
      `bilateralGrid: a grid of planes in ${columns} × ${rows} × ${axis.cells} cells is too large (${Math.ceil(bytes / 2 ** 20)} MiB ` +
        `of ${Math.floor(maxBytes / 2 ** 20)}, ${axis.cells} cells along depth of ${0x7fff}): ` +
        `raise sigmaSpacePx (${space}) or sigmaDepthMm (${sigmaDepthMm}), or lower maxDepthM (${maxDepthM})`,
    );
  }
  const lengths = Float64Array.from({ length: axis.cells }, (_, cell) => lengthOf(axis, cell));
  const centres = lengths.map((length, cell) => axis.bases[cell] + (length - 1) / 2);
  // Sums over a tile have to fit in 31 bits, also those of 2u · r, and r in 16.
  const room = Math.min(2 ** 15 - 1, 2 ** 31 / space ** 3);
  const steps = lengths.map((length) => 2 ** Math.ceil(Math.log2(length / room)));
  const squareShift = Math.max(0, Math.ceil(Math.log2((space * room) ** 2)) - 31);
  // Loops, not maps: while a slider is dragged, these tables are made with every frame.
  const entryOf = new Int32Array(65536).fill(OFF_AXIS);
  const positionOf = axis.positionOf.slice();
  for (let cell = 0; cell < axis.cells; cell++) {
    const [centre, length, first] = [centres[cell], lengths[cell], Math.max(1, axis.bases[cell])];
    for (let depth = first; depth < axis.bases[cell] + length; depth++) {
      const r = centre - (centre * centre) / depth;
      if (r < -length) positionOf[depth] = OFF_AXIS;
      else entryOf[depth] = (cell << 16) | (Math.round(r / steps[cell]) & 0xffff);
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
    centres,
    entryOf,
    positionOf,
    steps,
    squareShift,
    inset,
    sigma,
    sigmaGrowth,
    slope: 1 - softness,
    agreement: RESIDUAL * Math.SQRT2 * (1 + (SOFT - 1) * softness),
  };
}

/** A cell's length in depth units. The last cell may reach beyond the axis, where there are no pixels. */
function lengthOf({ bases, farthest }: DepthAxis, cell: number): number {
  return Math.min(bases[cell + 1], farthest + 1) - bases[cell];
}

/** The range sigma at a depth, both in depth units. */
export const sigmaAt = ({ sigma, sigmaGrowth }: PlaneShape, depth: number): number =>
  Math.max(1, sigma + sigmaGrowth * depth * depth);
