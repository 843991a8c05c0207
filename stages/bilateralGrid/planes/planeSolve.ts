import { reciprocal } from "../../core/exact.ts";
import { cellAt, PLANE, type PlaneMemory, RESIDUALS, SUMS } from "./memory.ts";
import { type Design, SUM } from "./planeMoments.ts";
import type { PlaneShape } from "./shape.ts";

/** A plane's weight is halved where its pixels' positions vary by this much, in px², in the direction of least variance. */
export const THIN = 0.05;

const { fround } = Math;
const thin = fround(THIN);

/** Makes the plane of the moments in `around`. */
export function planeOf(
  design: Design,
  cell: number,
  place: number,
  { around: sum, cells, planes }: PlaneMemory,
): void {
  const { each, u, v, r, uu, uv, vv, determinant, inverse } = design;
  const perCentre = cells[4 * cell];
  const perSquare = cells[4 * cell + 1];
  const perFlat = cells[4 * cell + 2];
  const ur = fround(fround(sum[SUM + 8] * each) - fround(u * r));
  const vr = fround(fround(sum[SUM + 9] * each) - fround(v * r));
  const rr = fround(fround(sum[SUM + 7] * each) - fround(r * r));
  const gu = fround(fround(fround(ur * vv) - fround(vr * uv)) * inverse);
  const gv = fround(fround(fround(vr * uu) - fround(ur * uv)) * inverse);
  const residual = fround(rr - fround(fround(gu * ur) + fround(gv * vr)));
  const off = fround(1 + fround(perFlat * Math.max(residual, 0)));
  const square = fround(off * off);
  const lessened = fround(fround(determinant + fround(thin * fround(uu + vv))) * fround(square * square));
  const middle = fround(r - fround(fround(gu * u) + fround(gv * v)));
  const to = place * PLANE;
  planes[to] = fround(1 - fround(middle * perCentre)) * perCentre;
  planes[to + 1] = gu * perSquare;
  planes[to + 2] = gv * perSquare;
  planes[to + 3] = fround(sum[SUM] * determinant) * reciprocal(lessened);
}

/**
 * Sums up how far a tile's pixels lie off one of its planes, about the tile's centre: Σr, Σur and Σvr. Moments are linear in r, so these
 * residuals follow from the tile's moments and the plane.
 */
export function residualOf(column: number, row: number, cell: number, shape: PlaneShape, memory: PlaneMemory): void {
  const { moments: own, planes, residuals, cells } = memory;
  const place = cellAt(shape, column, row, cell);
  const at = place * SUMS;
  const plane = place * PLANE;
  const to = place * RESIDUALS;
  const perCentre = cells[4 * cell];
  const square = cells[4 * cell + 3];
  const r = fround(fround(planes[plane] - perCentre) * square);
  const gu = fround(planes[plane + 1] * square);
  const gv = fround(planes[plane + 2] * square);
  // The kernel's `offOf`, three times: a moment of r minus its prediction by the plane.
  residuals[to] =
    fround(own[at + 3] - fround(r * own[at])) - fround(fround(gu * own[at + 1]) + fround(gv * own[at + 2]));
  const u = fround(own[at + 8] - fround(r * own[at + 1]));
  residuals[to + 1] = u - fround(fround(gu * own[at + 4]) + fround(gv * own[at + 5]));
  const v = fround(own[at + 9] - fround(r * own[at + 2]));
  residuals[to + 2] = v - fround(fround(gu * own[at + 5]) + fround(gv * own[at + 6]));
}
