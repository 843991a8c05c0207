import type { DepthArray } from "../../../core/frame.ts";
import { nearlyReciprocal, reciprocal } from "../../core/exact.ts";
import { cellAt, PLANE, type PlaneMemory } from "./memory.ts";
import type { PlaneShape } from "./shape.ts";

/** No pixel moves farther than this, in sigmas. */
export const REACH = 3;

const { fround } = Math;

/**
 * Replaces each pixel between the centres of the row before and this row of columns by a weighted mean of the depths that the eight planes
 * around it predict: those of four columns, in the two cells between whose centres its depth lies. A plane's weight is its own, times
 * trilinear interpolation, times a factor that falls with the pixel's distance from the plane.
 */
export function planeSlice(
  { data }: DepthArray,
  row: number,
  shape: PlaneShape,
  memory: PlaneMemory,
  filtered: DepthArray,
): void {
  const { width, height, space, inset, axis } = shape;
  const { planes, positions, steepness } = memory;
  const [sigma, growth, perSpace] = [fround(shape.sigma), fround(shape.sigmaGrowth), fround(1 / space)];
  const half = 0.5 * (space - 1);
  const first = row * space - Math.floor((space + 1) / 2);
  const out = filtered.data;
  for (let y = Math.max(0, first); y < Math.min(height, first + space); y++) {
    const awayY = y - (row - 1) * space - half;
    const acrossY = fround(awayY * perSpace);
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const own = data[i];
      const position = positions[2 * own];
      if (position < 0) {
        out[i] = own;
        continue;
      }
      const steep = steepness[2 * own + 1];
      const scaled = fround(steep * own);
      // The first of the four columns and of the two cells.
      const column = Math.floor((2 * (x + inset) + 1 + space) / (2 * space)) - 1;
      const near = (position >> 16) - 1;
      const isNear = near >= 0;
      const isFar = near + 1 < axis.cells;
      const nearCell = Math.max(near, 0);
      const farCell = Math.min(near + 1, axis.cells - 1);
      const z = (position & 0xffff) / 65536;
      // The distance from the centre of the first column, in pixels.
      const awayX = x + inset - column * space - half;
      const acrossX = fround(awayX * perSpace);
      let left = 0;
      let leftWeight = 0;
      let right = 0;
      let rightWeight = 0;
      for (let k = 0; k < 4; k++) {
        const toRight = k & 1;
        const below = k >> 1;
        const start = cellAt(shape, column + toRight, row - 1 + below, 0);
        const tapX = toRight === 1 ? acrossX : fround(1 - acrossX);
        const tap = fround(tapX * (below === 1 ? acrossY : fround(1 - acrossY)));
        const far = fround(tap * z);
        const asideX = awayX - toRight * space;
        const asideY = awayY - below * space;
        const a = (start + nearCell) * PLANE;
        const b = (start + farCell) * PLANE;
        const inverse = predicted(planes, a, asideX, asideY);
        const weight = weightOf(inverse, planes[a + 3], scaled, steep, isNear ? fround(tap - far) : 0);
        const inverseBehind = predicted(planes, b, asideX, asideY);
        const weightBehind = weightOf(inverseBehind, planes[b + 3], scaled, steep, isFar ? far : 0);
        const sum = fround(fround(inverse * weight) + fround(inverseBehind * weightBehind));
        const weights = fround(weight + weightBehind);
        if (toRight === 0) {
          left = fround(left + sum);
          leftWeight = fround(leftWeight + weights);
        } else {
          right = fround(right + sum);
          rightWeight = fround(rightWeight + weights);
        }
      }
      const sum = fround(left + right);
      const mean = sum > 0 ? fround(fround(leftWeight + rightWeight) * reciprocal(sum)) : own;
      const reach = fround(REACH * Math.max(fround(sigma + fround(growth * fround(own * own))), 1));
      const most = Math.min(fround(own + reach), axis.farthest, mean);
      out[i] = Math.floor(fround(Math.max(fround(own - reach), 1, most) + 0.5));
    }
  }
}

/** The inverse depth at a place by a plane. */
const predicted = (planes: Float32Array, at: number, x: number, y: number) =>
  fround(planes[at] + fround(fround(planes[at + 1] * x) + fround(planes[at + 2] * y)));

/** The weight that a plane of the weight `own` has for the pixel. */
function weightOf(inverse: number, own: number, scaled: number, steep: number, tap: number): number {
  const off = fround(fround(inverse * scaled) - steep);
  const agreed = fround(fround(off * off) + 1);
  return fround(fround(tap * own) * nearlyReciprocal(fround(agreed * agreed)));
}
