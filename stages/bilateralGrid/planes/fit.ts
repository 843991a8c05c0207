import { DESIGN, KEPT, PLANE, type PlaneScratch, SUMS } from "./scratch.ts";
import { MOMENTS, type PlaneShape, sigmaAt } from "./shape.ts";

/** A plane's weight is 1 / (1 + q)⁴, where q is the variance of its pixels' residuals over the square of this share of sigma. */
export const FLATNESS = 0.46;
/** Added to the variance of the pixels' positions, in px², because pixels in a single row do not determine a slope across it. */
export const RIDGE = 2e-4;
/** A plane's weight is halved where its pixels' positions vary by this much, in px², in the direction of least variance. */
export const THIN = 0.05;

/** The taps of the blur along depth. In the image the taps are 1 2 1. */
export const DEPTH_TAPS = [1, 4, 6, 4, 1] as const;

/** The number of bits set in a word. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Marks the scratch entries of this frame and row: an entry with another stamp is out of date. Rows begin at −1. */
export const stampOf = ({ rows }: PlaneShape, { frame }: PlaneScratch, row: number): number =>
  frame * (rows + 2) + row + 2;

/**
 * Blurs the moments of one column along depth (1 4 6 4 1) at one cell, and returns their index in `blurred`. The moments refer to the
 * tile's corner; each neighbouring cell's r is converted to this cell's.
 */
export function planeBlur(column: number, row: number, cell: number, shape: PlaneShape, scratch: PlaneScratch): number {
  const { columns, masks, slots, centres, steps, squareShift } = shape;
  const { index, moments, blurred, blurredFor } = scratch;
  const kept = ((row % KEPT) * columns + column) * centres.length + cell;
  const to = kept * SUMS;
  const stamp = stampOf(shape, scratch, row);
  if (blurredFor[kept] === stamp) return to;
  blurredFor[kept] = stamp;
  blurred.fill(0, to, to + SUMS);
  const first = Math.max(0, cell - 2);
  const many = Math.min(cell + 2, centres.length - 1) - first + 1;
  const [mask, shift] = [first >> 5, first & 31];
  const own = ((row * columns + column) * masks + mask) * 2;
  let bits = index[own] >>> shift;
  if (shift > 27 && mask + 1 < masks) bits |= index[own + 2] << (32 - shift);
  bits &= (1 << many) - 1;
  if (bits === 0) return to;
  let at = ((row * columns + column) * slots + index[own + 1] + bitCount(index[own] & ((1 << shift) - 1))) * MOMENTS;
  for (; bits !== 0; bits &= bits - 1, at += MOMENTS) {
    const from = first + 31 - Math.clz32(bits & -bits);
    const k = DEPTH_TAPS[from - cell + 2];
    // 1/depth = (1 − r/c)/c, so one cell's r is linear in another's.
    const ratio = centres[cell] / centres[from];
    const a = ratio * ratio * steps[from];
    const b = centres[cell] * (1 - ratio);
    const [n, u, v, r] = [moments[at], moments[at + 1], moments[at + 2], moments[at + 3]];
    blurred[to] += k * n;
    blurred[to + 1] += k * u;
    blurred[to + 2] += k * v;
    blurred[to + 3] += k * (a * r + b * n);
    blurred[to + 4] += k * moments[at + 4];
    blurred[to + 5] += k * moments[at + 5];
    blurred[to + 6] += k * moments[at + 6];
    blurred[to + 7] += k * (a * a * 2 ** squareShift * moments[at + 7] + 2 * a * b * r + b * b * n);
    blurred[to + 8] += k * (a * moments[at + 8] + b * u);
    blurred[to + 9] += k * (a * moments[at + 9] + b * v);
  }
  return to;
}

/** The place of a cell among the planes, designs and residuals. Columns and rows begin at −1. */
export const placeOf = ({ columns, centres }: PlaneShape, column: number, row: number, cell: number): number =>
  ((row & (KEPT - 1)) * (columns + 2) + column + 1) * centres.length + cell;

/**
 * Fits a plane in 1/depth, by weighted least squares, to the pixels around a cell: 3 × 3 columns with taps 1 2 1 along x and y. Returns the
 * plane's place. Its weight is 0 if there are no pixels.
 */
export function planeFit(column: number, row: number, cell: number, shape: PlaneShape, scratch: PlaneScratch): number {
  const { planes, fittedFor, sum } = scratch;
  const place = placeOf(shape, column, row, cell);
  const stamp = stampOf(shape, scratch, row);
  if (fittedFor[place] === stamp) return place;
  fittedFor[place] = stamp;
  momentsAround(column, row, cell, shape, scratch);
  if (sum[0] === 0) {
    planes[place * PLANE + 3] = 0;
    return place;
  }
  designOf(place, scratch);
  planeOf(place, cell, shape, scratch);
  return place;
}

/** Adds the moments of 3 × 3 columns into `sum`, relative to the centre of the one in the middle (`across` and `down` of the kernel). */
function momentsAround(column: number, row: number, cell: number, shape: PlaneShape, scratch: PlaneScratch): void {
  const { space, columns, rows } = shape;
  const { blurred, sum } = scratch;
  sum.fill(0);
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
      const at = planeBlur(x, y, cell, shape, scratch);
      const c = blurred[at];
      if (c === 0) continue;
      const k = (y === row ? 2 : 1) * (x === column ? 2 : 1);
      // The offset from the tile's corner to the centre of the plane's column.
      const ox = (x - column) * space - (space - 1) / 2;
      const oy = (y - row) * space - (space - 1) / 2;
      const u = blurred[at + 1];
      const v = blurred[at + 2];
      const r = blurred[at + 3];
      sum[0] += k * c;
      sum[1] += k * (u + ox * c);
      sum[2] += k * (v + oy * c);
      sum[3] += k * r;
      sum[4] += k * (blurred[at + 4] + ox * (2 * u + ox * c));
      sum[5] += k * (blurred[at + 5] + ox * v + oy * u + ox * oy * c);
      sum[6] += k * (blurred[at + 6] + oy * (2 * v + oy * c));
      sum[7] += k * blurred[at + 7];
      sum[8] += k * (blurred[at + 8] + ox * r);
      sum[9] += k * (blurred[at + 9] + oy * r);
    }
  }
}

/** Makes the fit's design from `sum`, and its `spread`: the variances and the covariance of u and v, and their determinant. */
function designOf(place: number, { sum, spread, designs }: PlaneScratch): void {
  const [n, su, sv, , suu, suv, svv] = sum;
  const [u, v] = [su / n, sv / n];
  const uu = suu / n - u * u + RIDGE;
  const uv = suv / n - u * v;
  const vv = svv / n - v * v + RIDGE;
  const determinant = uu * vv - uv * uv;
  spread.set([uu, uv, vv, determinant]);
  designs.set([n, u, v, vv / determinant, -uv / determinant, uu / determinant], place * DESIGN);
}

/** Makes the plane from `sum` and its `spread`. */
function planeOf(place: number, cell: number, shape: PlaneShape, { sum, spread, planes }: PlaneScratch): void {
  const [n, su, sv, sr, , , , srr, sur, svr] = sum;
  const [uu, uv, vv, determinant] = spread;
  const [u, v, r] = [su / n, sv / n, sr / n];
  const ur = sur / n - u * r;
  const vr = svr / n - v * r;
  const gu = (ur * vv - vr * uv) / determinant;
  const gv = (vr * uu - ur * uv) / determinant;
  const centre = shape.centres[cell];
  const off = Math.max(0, srr / n - r * r - gu * ur - gv * vr) / (FLATNESS * sigmaAt(shape, centre)) ** 2;
  const thin = determinant / (uu + vv);
  const to = place * PLANE;
  planes[to] = (1 - (r - gu * u - gv * v) / centre) / centre;
  planes[to + 1] = -gu / (centre * centre);
  planes[to + 2] = -gv / (centre * centre);
  planes[to + 3] = (n * thin) / (thin + THIN) / (1 + off) ** 4;
}
