import { reciprocal } from "../../core/exact.ts";
import { askedOf, cellAt, ENTRY, isNear, PLANE, type PlaneMemory, RESIDUALS } from "./memory.ts";
import { FLATNESS, type PlaneShape } from "./shape.ts";

/**
 * A second plane is added with a weight that grows with its distance from the first: one half at this share of sigma, next to nothing where
 * the distance is much less, which is noise.
 */
const CURVED = 0.025;
/** A second plane's distance d at the column's centre gets the weight s² / (1 + s²), where s is `SIGNIFICANCE` · d² / v. */
export const SIGNIFICANCE = (FLATNESS / CURVED) ** 2;

const { fround } = Math;
const significance = fround(SIGNIFICANCE);

/**
 * Fits planes to the residuals of a row's first planes, and adds them ("twicing": Tukey, "Exploratory Data Analysis", 1977): a plane that
 * is fitted to a curved surface lies on its hollow side.
 */
export function planeRefit(row: number, shape: PlaneShape, memory: PlaneMemory): void {
  for (let column = -1; column <= shape.columns; column++) {
    for (let mask = 0; mask < shape.masks; mask++) {
      for (let bits = askedOf(shape, memory, column, row, mask); bits !== 0; bits &= bits - 1) {
        refitResidual(column, row, 32 * mask + 31 - Math.clz32(bits & -bits), shape, memory);
      }
    }
  }
}

const threeAlong = (before: number, middle: number, after: number) => fround(fround(before + after) + 2 * middle);
const threeDown = (beside: Float32Array, i: number) =>
  threeAlong(beside[i], beside[RESIDUALS + i], beside[2 * RESIDUALS + i]);

/** The index in `residuals` of one column's pixels in a cell, or of the sums without pixels. */
function residualsAt(column: number, row: number, cell: number, shape: PlaneShape, memory: PlaneMemory): number {
  const isThere = isNear(shape, memory.index, column, row, cell, 1);
  return isThere ? cellAt(shape, column, row, cell) * RESIDUALS : memory.residuals.length - RESIDUALS;
}

/** The residuals of three columns side by side, about the middle one's centre, as row `y` of `beside`. */
function residualsOf(
  column: number,
  row: number,
  cell: number,
  y: number,
  shape: PlaneShape,
  memory: PlaneMemory,
): void {
  const { residuals: from, beside } = memory;
  const left = residualsAt(column - 1, row, cell, shape, memory);
  const middle = residualsAt(column, row, cell, shape, memory);
  const right = residualsAt(column + 1, row, cell, shape, memory);
  for (let i = 0; i < RESIDUALS; i++)
    beside[y * RESIDUALS + i] = threeAlong(from[left + i], from[middle + i], from[right + i]);
  beside[y * RESIDUALS + 1] += fround(shape.space * fround(from[right] - from[left]));
}

/** Adds the plane through the residuals of the 3 × 3 columns around a cell to the cell's plane. */
function refitResidual(column: number, row: number, cell: number, shape: PlaneShape, memory: PlaneMemory): void {
  const { planes, entries, beside, cells } = memory;
  for (let y = 0; y < 3; y++) residualsOf(column, row + y - 1, cell, y, shape, memory);
  const x = threeDown(beside, 0);
  const moved = fround(threeDown(beside, 2) + fround(shape.space * fround(beside[2 * RESIDUALS] - beside[0])));
  const place = cellAt(shape, column, row, cell);
  const entry = place * ENTRY;
  const uu = entries[entry];
  const uv = entries[entry + 1];
  const vv = entries[entry + 2];
  const share = entries[entry + 3];
  const u = entries[entry + 4];
  const v = entries[entry + 5];
  const ur = fround(fround(threeDown(beside, 1) - fround(u * x)) * share);
  const vr = fround(fround(moved - fround(v * x)) * share);
  const gu = fround(fround(uu * ur) + fround(uv * vr));
  const gv = fround(fround(uv * ur) + fround(vv * vr));
  const middle = fround(fround(x * share) - fround(fround(gu * u) + fround(gv * v)));
  const once = fround(fround(significance * cells[4 * cell + 2]) * fround(middle * middle));
  const s = fround(once * once);
  const square = fround(cells[4 * cell + 1] * fround(s * reciprocal(fround(s + 1))));
  const sloped = fround(square * fround(shape.slope));
  planes[place * PLANE] += fround(middle * square);
  planes[place * PLANE + 1] += fround(gu * sloped);
  planes[place * PLANE + 2] += fround(gv * sloped);
}
