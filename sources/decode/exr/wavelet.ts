/** Undoes one step of the transform: `low` and `high` are the positions of two values' half sum and difference. */
type Merge = (values: Uint16Array, low: number, high: number) => void;

/** For values below 2^14, as signed numbers (ImfWav's wdec14). */
const mergeNarrow: Merge = (values, low, high) => {
  const difference = (values[high] << 16) >> 16;
  const first = ((values[low] << 16) >> 16) + (difference & 1) + (difference >> 1);
  values[low] = first;
  values[high] = first - difference;
};

/** Undoes a step of the wavelet for all 16-bit values, modulo 2^16 (ImfWav's wdec16). */
const mergeWide: Merge = (values, low, high) => {
  const difference = values[high];
  const second = values[low] - (difference >> 1);
  values[low] = difference + second - 0x8000;
  values[high] = second;
};

/** A channel's values: how many in a row and in a column, and the step between neighbours along each. */
export interface Plane {
  readonly start: number;
  readonly width: number;
  readonly stepX: number;
  readonly height: number;
  readonly stepY: number;
}

/**
 * Undoes the Haar transform of OpenEXR's PIZ compression in place. Each round doubles the resolution of the restored grid. In each square
 * of four values the corner holds the mean and the others the differences; at an odd side's end single pairs are left.
 *
 *     mean .  | dx .        columns first, then rows:  a = mean, dy   b = dx, dxy   then  a, b
 *     ----------------
 *     dy   .  | dxy .
 *
 * `largest` is the largest value before the transform: below 2^14 the transform used signed numbers.
 */
export function undoWavelet(values: Uint16Array, plane: Plane, largest: number): void {
  const merge = largest < 1 << 14 ? mergeNarrow : mergeWide;
  const { start, width, stepX, height, stepY } = plane;
  const side = Math.min(width, height);
  for (let far = 2 ** Math.floor(Math.log2(side)); far > 1; far /= 2) {
    const near = far / 2;
    const [x1, y1] = [stepX * near, stepY * near];
    let y = 0;
    for (; y + far <= height; y += far) {
      const row = start + y * stepY;
      let x = 0;
      for (; x + far <= width; x += far) {
        const at = row + x * stepX;
        merge(values, at, at + y1);
        merge(values, at + x1, at + x1 + y1);
        merge(values, at, at + x1);
        merge(values, at + y1, at + x1 + y1);
      }
      if (width & near) merge(values, row + x * stepX, row + x * stepX + y1);
    }
    if ((height & near) === 0) continue;
    const row = start + y * stepY;
    for (let x = 0; x + far <= width; x += far) merge(values, row + x * stepX, row + x * stepX + x1);
  }
}
