import type { DepthArray } from "../../core/frame.ts";
import { differenceColor, farOf, MADE, type Range, TAKEN } from "./cpu.ts";

// Tables of what the twin's functions give for each depth or difference: a look-up per pixel is much cheaper than a logarithm.

export const DEPTHS = 65536;

/** Returns a function that fills the table with `of(far)` for each depth. The function fills only after a change of the range. */
export function depthTable(
  metresPerUnit: number,
  table: Float32Array | Uint32Array,
  of: (far: number) => number,
): (range: Range) => void {
  const range = { nearM: Number.NaN, farM: Number.NaN };
  return ({ nearM, farM }) => {
    if (range.nearM === nearM && range.farM === farM) return;
    Object.assign(range, { nearM, farM });
    for (let value = 1; value < DEPTHS; value++) table[value] = of(farOf(value * metresPerUnit, range));
  };
}

/**
 * `paint` by difference, from a table. The returned function colours each pixel that is valid in `shown` by its depth in `before` minus its
 * depth in `after`.
 */
export function differencePainter(metresPerUnit: number) {
  const mmPerUnit = metresPerUnit * 1000;
  // One colour for each difference in whole depth units within the range, in ascending order.
  let table = new Uint32Array(0);
  let [tableOf, most] = [Number.NaN, 0];
  const fill = (rangeMm: number) => {
    tableOf = rangeMm;
    most = Math.min(DEPTHS - 1, Math.ceil(rangeMm / mmPerUnit));
    table = Uint32Array.from({ length: 2 * most + 1 }, (_, i) => differenceColor(((i - most) * mmPerUnit) / rangeMm));
  };
  return (words: Uint32Array, shown: Uint16Array, after: DepthArray, before: DepthArray, rangeMm: number): void => {
    if (tableOf !== rangeMm) fill(rangeMm);
    const [height, width] = after.shape;
    const [rows, columns] = before.shape;
    for (let y = 0, at = 0; y < height; y++) {
      const from = Math.floor(((2 * y + 1) * rows) / (2 * height)) * columns;
      for (let x = 0; x < width; x++, at++) {
        if (shown[at] === 0) {
          words[at] = 0;
          continue;
        }
        const own = before.data[from + Math.floor(((2 * x + 1) * columns) / (2 * width))];
        const now = after.data[at];
        words[at] = now === 0 ? TAKEN : own === 0 ? MADE : table[most + Math.max(-most, Math.min(most, own - now))];
      }
    }
  };
}
