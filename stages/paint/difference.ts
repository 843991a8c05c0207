import type { DepthArray } from "../../sources/core/frame.ts";

/**
 * Colours as sRGB, 0 to 1: where the sensor's own depth is nearer by the whole range or more, where nothing changed, and where it is
 * farther.
 */
const [NEARER, SAME, FARTHER] = [
  [0.84, 0.15, 0.12],
  [0.93, 0.93, 0.93],
  [0.12, 0.35, 0.85],
] as const;
const MOST = 65535;

const byte = (c: number) => Math.floor(c * 255 + 0.5);
const word = (r: number, g: number, b: number) => (byte(r) | (byte(g) << 8) | (byte(b) << 16) | 0xff000000) >>> 0;

/** Where the filters made an invalid pixel valid, and where they made a valid pixel invalid. */
const MADE = word(0.85, 0, 0.85);
const TAKEN = word(1, 0.85, 0.12);

/** The colour word of a difference, from −1 (the sensor's own depth is nearer) to 1. */
export function differenceColor(share: number): number {
  const end = share > 0 ? FARTHER : NEARER;
  const t = Math.min(1, Math.abs(share));
  const [r, g, b] = SAME.map((c, i) => c + ((end[i] ?? c) - c) * t);
  return word(r ?? 0, g ?? 0, b ?? 0);
}

/**
 * The twin of shaders/paint.wgsl for mode "difference". The returned function colours each pixel that is valid in `shown` by its depth in
 * `before` minus its depth in `after`.
 */
export function differencePainter(mmPerUnit: number) {
  // One colour for each difference in whole depth units within the range, in ascending order.
  let table = new Uint32Array(0);
  let [tableOf, most] = [Number.NaN, 0];
  const fill = (rangeMm: number) => {
    tableOf = rangeMm;
    most = Math.min(MOST, Math.ceil(rangeMm / mmPerUnit));
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
