import { planeBlur, stampOf } from "./planeBuild.ts";
import { DESIGN, KEPT, PLANE, type PlaneScratch } from "./scratch.ts";
import { type PlaneShape, sigmaAt } from "./shape.ts";

/** A plane's weight is 1 / (1 + q)⁴, where q is the variance of its pixels' residuals over the square of this share of sigma. */
export const FLATNESS = 0.46;
/** Added to the variance of the pixels' positions, in px², because pixels in a single row do not determine a slope across it. */
export const RIDGE = 2e-4;
/** A plane's weight is halved where its pixels' positions vary by this much, in px², in the direction of least variance. */
export const THIN = 0.05;

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
