/** How wide a depth cell is: one range sigma, a + b·z² with z in metres. */
export interface RangeSigma {
  /** a, in millimetres. */
  readonly sigmaDepthMm: number;
  /** b, in millimetres per square metre. */
  readonly sigmaDepthPerM2Mm: number;
  /** Farthest depth on the axis, in metres. */
  readonly maxDepthM: number;
}

/**
 * The grid's depth axis, warped so that a cell is one sigma everywhere, cut into cells at whole depth units: which cell
 * a depth is in is looked up, never computed in floating point, and so is the same on every device and in the twin.
 */
export interface DepthAxis {
  /** Number of cells. Cell c holds the depths from `bases[c]` to `bases[c + 1]` − 1. */
  readonly cells: number;
  /** Cell borders in depth units, `cells` + 1 of them, strictly growing from 0. */
  readonly bases: Uint32Array;
  /** Depth units to a cell if every cell has as many, be it that the last goes on past `farthest`; else 0. */
  readonly width: number;
  /** Farthest depth on the axis, in depth units. */
  readonly farthest: number;
  /** The largest depth − `bases[cell]` that occurs. */
  readonly maxOffset: number;
  /** By depth (65536 of them): cell << 16 | depth − `bases[cell]`; `OFF_AXIS` for 0 and for what lies past `farthest`. */
  readonly cellOf: Int32Array<ArrayBuffer>;
  /**
   * By depth: where between cell centres it lies, in 1/65536 of a cell from the centre of cell −1, or `OFF_AXIS`.
   * The high half p says that it lies between the centres of cells p − 1 and p.
   */
  readonly positionOf: Int32Array<ArrayBuffer>;
}

/** What the tables hold for a depth that takes no part: invalid, or past the end of the axis. */
export const OFF_AXIS = -1;

/**
 * Cuts the depth axis for frames in units of `metresPerUnit`. With b = 0 the borders are evenly spaced; otherwise they
 * are where u(z) = ∫ dz/σ(z) = atan(z·√(b/a))/√(ab) is whole. A cell is at least one depth unit: where sigma is less,
 * every depth has a cell of its own.
 */
export function depthAxis(sigma: RangeSigma, metresPerUnit: number): DepthAxis {
  // 1e-6 of a unit: 10 m / 0.0002 must not come out as 49999 for a rounding error.
  const farthest = Math.min(65535, Math.floor(sigma.maxDepthM / metresPerUnit + 1e-6));
  const borders = [0];
  for (let last = 0; last <= farthest; ) {
    const border = Math.round(metresAt(borders.length, sigma) / metresPerUnit);
    // The last cell may never end: u(z) is bounded when b > 0.
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
    // The middle of the whole numbers base … next − 1 is the cell's centre; + 1 counts from cell −1.
    const centred = cell + 1 + (offset + 0.5) / (bases[cell + 1] - base) - 0.5;
    positionOf[depth] = Math.floor(centred * 65536);
  }
  return { cells, bases, width, farthest, maxOffset, cellOf, positionOf };
}

/** The depth in metres at which u(z) = `cell`; infinite where the axis never gets there. */
function metresAt(cell: number, { sigmaDepthMm: a, sigmaDepthPerM2Mm: b }: RangeSigma): number {
  if (b === 0) return (cell * a) / 1000;
  const angle = (cell * Math.sqrt(a * b)) / 1000;
  return angle < Math.PI / 2 ? Math.tan(angle) * Math.sqrt(a / b) : Number.POSITIVE_INFINITY;
}
