import { planeBlur, stampOf } from "./planeBuild.ts";
import { placeOf, planeFit } from "./planeFit.ts";
import { DESIGN, PLANE, type PlaneScratch, RESIDUALS } from "./scratch.ts";
import { type PlaneShape, sigmaAt } from "./shape.ts";

/** If the second plane lies this share of sigma off the first, half of it is added; much smaller distances are noise. */
export const CURVED = 0.025;

// A plane that is fitted to a curved surface lies on its hollow side. So a second plane is fitted to the residuals, with the same weights,
// and added ("twicing": Tukey, "Exploratory Data Analysis", 1977). Moments are linear in r, so a tile's residuals follow from its moments
// and its plane, without its pixels.

/** Whether a column has pixels in a cell or beside it. */
function isNear(column: number, row: number, cell: number, shape: PlaneShape, { index }: PlaneScratch): boolean {
  const { columns, masks, centres } = shape;
  const first = (row * columns + column) * masks;
  for (let near = Math.max(0, cell - 1); near <= Math.min(cell + 1, centres.length - 1); near++) {
    if ((index[2 * (first + (near >> 5))] >>> (near & 31)) & 1) return true;
  }
  return false;
}

/**
 * Sums up the residuals of one column's pixels from its plane in a cell, relative to the column's centre, and returns the cell's place. The
 * sums are 0 if the column has no pixels in the cell or beside it, since no pixel reads planes there.
 */
function residualOf(column: number, row: number, cell: number, shape: PlaneShape, scratch: PlaneScratch): number {
  const { space, centres } = shape;
  const { blurred, planes, residuals, residualsFor } = scratch;
  const place = placeOf(shape, column, row, cell);
  const stamp = stampOf(shape, scratch, row);
  if (residualsFor[place] === stamp) return place;
  residualsFor[place] = stamp;
  const to = place * RESIDUALS;
  residuals.fill(0, to, to + RESIDUALS);
  if (!isNear(column, row, cell, shape, scratch)) return place;
  const plane = planeFit(column, row, cell, shape, scratch) * PLANE;
  const at = planeBlur(column, row, cell, shape, scratch);
  // Converts the plane: its place from the tile's corner to the centre, and its value from 1/depth to r.
  const half = (space - 1) / 2;
  const square = centres[cell] ** 2;
  const r = centres[cell] - square * planes[plane];
  const gu = -square * planes[plane + 1];
  const gv = -square * planes[plane + 2];
  const n = blurred[at];
  const u = blurred[at + 1] - half * n;
  const v = blurred[at + 2] - half * n;
  const uu = blurred[at + 4] - half * (blurred[at + 1] + u);
  const uv = blurred[at + 5] - half * (blurred[at + 1] + v);
  const vv = blurred[at + 6] - half * (blurred[at + 2] + v);
  residuals[to] = blurred[at + 3] - r * n - gu * u - gv * v;
  residuals[to + 1] = blurred[at + 8] - half * blurred[at + 3] - r * u - gu * uu - gv * uv;
  residuals[to + 2] = blurred[at + 9] - half * blurred[at + 3] - r * v - gu * uv - gv * vv;
  return place;
}

/**
 * Fits a second plane to the residuals of the 3 × 3 columns around a cell, and adds q² / (1 + q²) of it to the cell's plane, where q is the
 * square of the second plane's distance at the column's centre over `CURVED` sigmas; of its slope, only the share `slope` of that. Returns
 * the place of the sum in `refitted`; the weight stays that of the first plane.
 */
export function refitResidual(
  column: number,
  row: number,
  cell: number,
  shape: PlaneShape,
  scratch: PlaneScratch,
): number {
  const { space, columns, rows, centres, slope } = shape;
  const { planes, designs, residuals, refitted, refittedFor } = scratch;
  const place = placeOf(shape, column, row, cell);
  const stamp = stampOf(shape, scratch, row);
  if (refittedFor[place] === stamp) return place;
  refittedFor[place] = stamp;
  planeFit(column, row, cell, shape, scratch);
  const to = place * PLANE;
  refitted[to + 3] = planes[to + 3];
  if (planes[to + 3] === 0) return place;
  let [r, ur, vr] = [0, 0, 0];
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
      const at = residualOf(x, y, cell, shape, scratch) * RESIDUALS;
      const k = (y === row ? 2 : 1) * (x === column ? 2 : 1);
      r += k * residuals[at];
      ur += k * (residuals[at + 1] + (x - column) * space * residuals[at]);
      vr += k * (residuals[at + 2] + (y - row) * space * residuals[at]);
    }
  }
  const design = place * DESIGN;
  const [n, u, v] = [designs[design], designs[design + 1], designs[design + 2]];
  const [du, dv] = [(ur - u * r) / n, (vr - v * r) / n];
  const gu = designs[design + 3] * du + designs[design + 4] * dv;
  const gv = designs[design + 4] * du + designs[design + 5] * dv;
  const middle = r / n - gu * u - gv * v;
  const significant = (middle / (CURVED * sigmaAt(shape, centres[cell]))) ** 4;
  const share = significant / (1 + significant) / centres[cell] ** 2;
  refitted[to] = planes[to] - share * middle;
  refitted[to + 1] = planes[to + 1] - share * slope * gu;
  refitted[to + 2] = planes[to + 2] - share * slope * gv;
  return place;
}
