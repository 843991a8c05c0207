/** The width of a depth cell: one range sigma, a + b·z² with z in metres. */
export interface RangeSigma {
  /** a, in millimetres. */
  readonly sigmaDepthMm: number;
  /** b, in millimetres per square metre. */
  readonly sigmaDepthPerM2Mm: number;
  /** The farthest depth on the axis, in metres. */
  readonly maxDepthM: number;
}

/**
 * The grid's depth axis, warped so that a cell is one sigma wide everywhere, and cut into cells at whole depth units. The cell of a depth
 * is looked up, never computed in floating point, so kernels on all devices and the twin agree.
 */
export interface DepthAxis {
  /** The number of cells. Cell c holds the depths from `bases[c]` to `bases[c + 1]` − 1. */
  readonly cells: number;
  /** The cell borders in depth units: `cells` + 1 values, strictly ascending from 0. */
  readonly bases: Uint32Array;
  /** Depth units per cell if all cells have equally many (the last may reach beyond `farthest`); else 0. */
  readonly width: number;
  /** The farthest depth on the axis, in depth units. */
  readonly farthest: number;
  /** The largest value of depth − `bases[cell]`. */
  readonly maxOffset: number;
  /** For each of 65536 depths: cell << 16 | depth − `bases[cell]`; `OFF_AXIS` for 0 and for depths beyond `farthest`. */
  readonly cellOf: Int32Array<ArrayBuffer>;
  /**
   * For each of 65536 depths: its position between cell centres, in 1/65536 of a cell from the centre of cell −1; or `OFF_AXIS`. The high
   * half p says that the depth lies between the centres of cells p − 1 and p.
   */
  readonly positionOf: Int32Array<ArrayBuffer>;
}

/** The table entry of a depth without a cell: invalid, or beyond the end of the axis. */
export const OFF_AXIS = -1;

/**
 * Cuts the depth axis for frames whose depth unit is `metresPerUnit`. With b = 0 the borders are evenly spaced. Otherwise they lie where
 * u(z) = ∫ dz/σ(z) = atan(z·√(b/a))/√(ab) is a whole number. A cell spans at least one depth unit, even where sigma is less.
 */
export function depthAxis(sigma: RangeSigma, metresPerUnit: number): DepthAxis {
  // The added 1e-6 units keep a rounding error from turning 10 m / 0.0002 into 49999.
  const farthest = Math.min(65535, Math.floor(sigma.maxDepthM / metresPerUnit + 1e-6));
  const borders = [0];
  for (let last = 0; last <= farthest; ) {
    const border = Math.round(metresAt(borders.length, sigma) / metresPerUnit);
    // For b > 0, u(z) is bounded, so the last cell may have no end.
    last = Math.max(last + 1, Math.min(border, 2 ** 20));
    borders.push(last);
  }
  const cells = borders.length - 1;
  const bases = Uint32Array.from(borders);
  const cellOf = new Int32Array(65536).fill(OFF_AXIS);
  const positionOf = new Int32Array(65536).fill(OFF_AXIS);
  const step = bases[1];
  const width = bases.subarray(0, cells).every((base, cell) => base === cell * step) ? step : 0;
  let maxOffset = 0;
  for (let depth = 1, cell = 0; depth <= farthest; depth++) {
    while (depth >= bases[cell + 1]) cell++;
    const base = bases[cell];
    const offset = depth - base;
    maxOffset = Math.max(maxOffset, offset);
    cellOf[depth] = (cell << 16) | offset;
    // The cell's centre is the mean of the depths base … next − 1. The + 1 counts from cell −1.
    const centred = cell + 1 + (offset + 0.5) / (bases[cell + 1] - base) - 0.5;
    positionOf[depth] = Math.floor(centred * 65536);
  }
  return { cells, bases, width, farthest, maxOffset, cellOf, positionOf };
}

/** The depth in metres at which u(z) = `cell`; infinite if u never reaches that value. */
function metresAt(cell: number, { sigmaDepthMm: a, sigmaDepthPerM2Mm: b }: RangeSigma): number {
  if (b === 0) return (cell * a) / 1000;
  const angle = (cell * Math.sqrt(a * b)) / 1000;
  return angle < Math.PI / 2 ? Math.tan(angle) * Math.sqrt(a / b) : Number.POSITIVE_INFINITY;
}
