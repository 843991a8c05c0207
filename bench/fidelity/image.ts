/** Depth in millimetres, row-major, 0 for none. */
export interface Depth {
  readonly width: number;
  readonly height: number;
  readonly mm: Float32Array;
}

/** For each row of a disc of radius 3 px, the columns to each side: as in OpenCV's 7 × 7 ellipse. */
const DISC = [0, 2, 3, 3, 3, 2, 0];

/** The valid pixels on both sides of a depth step of more than `share` of the nearer depth. */
export function steps({ width, height, mm }: Depth, share: number): Uint8Array {
  const mask = new Uint8Array(mm.length);
  const look = (i: number, j: number) => {
    const [a, b] = [mm[i], mm[j]];
    if (a > 0 && b > 0 && Math.abs(a - b) > share * Math.min(a, b)) mask[i] = mask[j] = 1;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (x + 1 < width) look(i, i + 1);
      if (y + 1 < height) look(i, i + width);
    }
  }
  return mask;
}

/** The pixels within 3 px of a marked pixel. */
export const within3 = (mask: Uint8Array, width: number) => dilate(mask, width, DISC);
/** The marked pixels and their neighbours, diagonal ones included. */
export const beside = (mask: Uint8Array, width: number) => dilate(mask, width, [1, 1, 1]);

function dilate(mask: Uint8Array, width: number, rows: readonly number[]): Uint8Array {
  const wide = new Uint8Array(mask.length);
  const height = mask.length / width;
  const middle = rows.length >> 1;
  for (let i = 0; i < mask.length; i++) {
    if (!mask[i]) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    rows.forEach((reach, k) => {
      const row = y + k - middle;
      if (row < 0 || row >= height) return;
      wide.fill(1, row * width + Math.max(0, x - reach), row * width + Math.min(width, x + reach + 1));
    });
  }
  return wide;
}

/** The median; of an even number of values the mean of the middle two; NaN if there are none. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** A ratio; null where the divisor is 0. */
export const ratio = (a: number | null, b: number | null): number | null => (a === null || !b ? null : a / b);

/** The indices of frames that represent a recording, at most 40. */
export function picked(count: number): number[] {
  const n = Math.min(count, 40);
  return [...new Set(Array.from({ length: n }, (_, k) => (n === 1 ? 0 : Math.trunc((k * (count - 1)) / (n - 1)))))];
}
