import type { DepthArray } from "../../core/frame.ts";
import type { GridShape } from "../../stages/bilateralGrid/means/grid.ts";

const TAPS = [1, 4, 6, 4, 1].map((tap) => tap / 16);

/**
 * The bilateral grid as the paper has it: a dense array of plain numbers with room for the whole blur on every side, splat
 * to the nearest cell, three passes of five taps, trilinear slice. Shares only the depth axis with the stage that it checks.
 * Returns the means, not rounded; 0 for invalid pixels.
 */
export function denseGrid({ data, shape: [height, width] }: DepthArray, { space, axis }: GridShape): Float64Array {
  const pad = 3;
  const size = [Math.ceil(height / space), Math.ceil(width / space), axis.cells].map((n) => n + 2 * pad);
  const [, across, deep] = size;
  const strides = [across * deep, deep, 1];
  const cellOf = (depth: number) => axis.bases.findLastIndex((base) => base <= depth);
  let sums = new Float64Array(size[0] * across * deep);
  let weights = new Float64Array(sums.length);
  const takesPart = (depth: number) => depth > 0 && depth <= axis.farthest;
  data.forEach((depth, i) => {
    if (!takesPart(depth)) return;
    const [x, y] = [i % width, Math.floor(i / width)];
    const at = ((Math.floor(y / space) + pad) * across + Math.floor(x / space) + pad) * deep + cellOf(depth) + pad;
    sums[at] += depth;
    weights[at] += 1;
  });
  const blur = (values: Float64Array, stride: number) =>
    values.map((_, at) => TAPS.reduce((sum, tap, k) => sum + tap * (values[at + (k - 2) * stride] ?? 0), 0));
  for (const stride of strides) {
    sums = blur(sums, stride);
    weights = blur(weights, stride);
  }
  return Float64Array.from(data, (depth, i) => {
    if (!takesPart(depth)) return depth;
    const cell = cellOf(depth);
    const [base, next] = [axis.bases[cell], axis.bases[cell + 1]];
    const place = [
      (Math.floor(i / width) + 0.5) / space - 0.5,
      ((i % width) + 0.5) / space - 0.5,
      cell + (depth - base + 0.5) / (next - base) - 0.5,
    ];
    let [sum, weight] = [0, 0];
    for (let corner = 0; corner < 8; corner++) {
      let share = 1;
      let at = 0;
      place.forEach((p, axisOf) => {
        const low = Math.floor(p);
        const step = (corner >> axisOf) & 1;
        share *= step === 1 ? p - low : 1 - (p - low);
        at += (low + step + pad) * strides[axisOf];
      });
      sum += share * sums[at];
      weight += share * weights[at];
    }
    return sum / weight;
  });
}
