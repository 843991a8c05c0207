import { reciprocal } from "../../core/exact.ts";
import { cellAt, ENTRY, isNear, type PlaneMemory, SUMS } from "./memory.ts";
import type { PlaneShape } from "./shape.ts";

/** Added to the variance of the pixels' positions, in px², because pixels in a single row do not determine a slope across it. */
export const RIDGE = 2e-4;

const { fround } = Math;
const ridge = fround(RIDGE);
const FLATTEST = fround(ridge * ridge);

/** The index in `moments` of one tile's cell, or of the sums without pixels. */
function momentsAt(column: number, row: number, cell: number, shape: PlaneShape, memory: PlaneMemory): number {
  const isThere = isNear(shape, memory.index, column, row, cell, 2);
  return isThere ? cellAt(shape, column, row, cell) * SUMS : memory.moments.length - SUMS;
}

function three(from: Float32Array, a: number, b: number, c: number, into: Float32Array, to: number): void {
  for (let i = 0; i < SUMS; i++) into[to + i] = fround(fround(from[a + i] + from[c + i]) + 2 * from[b + i]);
}

/** The change of Σuu (or Σvv) if tiles to both sides, with the counts n and Σu apart by `off`, lie `apart` pixels to the left and right. */
const squareMoved = (apart: number, n: number, off: number) => fround(apart * fround(fround(apart * n) + 2 * off));

/** The index in `around` of the moments of the 3 × 3 tiles around a column. */
export const SUM = 3 * SUMS;

/** Three tiles side by side, about the middle one's centre, as row `y` of `around`. */
function across(column: number, row: number, cell: number, y: number, shape: PlaneShape, memory: PlaneMemory): void {
  const { moments: from, around: sum } = memory;
  const left = momentsAt(column - 1, row, cell, shape, memory);
  const middle = momentsAt(column, row, cell, shape, memory);
  const right = momentsAt(column + 1, row, cell, shape, memory);
  const apart = shape.space;
  const to = y * SUMS;
  three(from, left, middle, right, sum, to);
  sum[to + 1] += fround(apart * fround(from[right] - from[left]));
  sum[to + 4] += squareMoved(apart, fround(from[left] + from[right]), fround(from[right + 1] - from[left + 1]));
  sum[to + 5] += fround(apart * fround(from[right + 2] - from[left + 2]));
  sum[to + 8] += fround(apart * fround(from[right + 3] - from[left + 3]));
}

/** Such rows of three, one below the other. */
function down({ space: apart }: PlaneShape, { around: sum }: PlaneMemory): void {
  const bottom = 2 * SUMS;
  three(sum, 0, SUMS, bottom, sum, SUM);
  sum[SUM + 2] += fround(apart * fround(sum[bottom] - sum[0]));
  sum[SUM + 6] += squareMoved(apart, fround(sum[0] + sum[bottom]), fround(sum[bottom + 2] - sum[2]));
  sum[SUM + 5] += fround(apart * fround(sum[bottom + 1] - sum[1]));
  sum[SUM + 9] += fround(apart * fround(sum[bottom + 3] - sum[3]));
}

/** Sums up the moments of the 3 × 3 tiles around a column, 1 2 1 along x and y. */
export function sumAround(column: number, row: number, cell: number, shape: PlaneShape, memory: PlaneMemory): void {
  for (let y = 0; y < 3; y++) across(column, row + y - 1, cell, y, shape, memory);
  down(shape, memory);
}

/** The mean of u, v and r; and the variances and the covariance of u and v (uu, uv, vv), with the determinant. */
export interface Design {
  each: number;
  u: number;
  v: number;
  r: number;
  uu: number;
  uv: number;
  vv: number;
  determinant: number;
  inverse: number;
}

export const newDesign = (): Design => ({
  each: 0,
  u: 0,
  v: 0,
  r: 0,
  uu: 0,
  uv: 0,
  vv: 0,
  determinant: 0,
  inverse: 0,
});

/** Makes the design of the moments in `around`. */
export function designOf({ around: sum }: PlaneMemory, design: Design): void {
  const each = reciprocal(Math.max(sum[SUM], 1));
  const u = fround(sum[SUM + 1] * each);
  const v = fround(sum[SUM + 2] * each);
  const uu = fround(fround(fround(sum[SUM + 4] * each) - fround(u * u)) + ridge);
  const uv = fround(fround(sum[SUM + 5] * each) - fround(u * v));
  const vv = fround(fround(fround(sum[SUM + 6] * each) - fround(v * v)) + ridge);
  // For a single row of pixels, rounding may make the determinant negative.
  const determinant = Math.max(fround(fround(uu * vv) - fround(uv * uv)), FLATTEST);
  design.each = each;
  design.u = u;
  design.v = v;
  design.r = fround(sum[SUM + 3] * each);
  design.uu = uu;
  design.uv = uv;
  design.vv = vv;
  design.determinant = determinant;
  design.inverse = reciprocal(determinant);
}

/** Writes what planeRefit needs to fit another plane to the same pixels by the same weights. */
export function writeEntry({ each, u, v, uu, uv, vv, inverse }: Design, entries: Float32Array, place: number): void {
  const to = place * ENTRY;
  entries[to] = vv * inverse;
  entries[to + 1] = -uv * inverse;
  entries[to + 2] = uu * inverse;
  entries[to + 3] = each;
  entries[to + 4] = u;
  entries[to + 5] = v;
}
