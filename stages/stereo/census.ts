import { AROUND, FLOOR, MOST_CONTRAST } from "./layout.ts";

/** One image of the pair, or what is computed of one: by rows, without padding. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const within = (at: number, end: number) => Math.min(Math.max(at, 0), end - 1);

/**
 * The census of each pixel (Zabih and Woodfill 1994): for each of the 62 pixels around it, 9 × 7, whether that pixel is darker; two words
 * of 31 bits, by rows. Pixels outside the image are the nearest inside.
 */
export function census(grey: ArrayLike<number>, { width, height }: Size, into: Uint32Array): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const own = grey[at];
      let bit = 0;
      let first = 0;
      let second = 0;
      for (let dy = -3; dy <= 3; dy++) {
        const row = within(y + dy, height) * width;
        for (let dx = -4; dx <= 4; dx++) {
          if (dy === 0 && dx === 0) continue;
          const darker = grey[row + within(x + dx, width)] < own ? 1 : 0;
          if (bit < 31) first |= darker << bit;
          else second |= darker << (bit - 31);
          bit++;
        }
      }
      into[2 * at] = first;
      into[2 * at + 1] = second;
    }
  }
}

/** Each pixel's brightness less the mean around it, in eighths of a step of brightness, times the number of pixels around it. */
export function deviation(grey: ArrayLike<number>, size: Size, into: Int32Array): void {
  const pixels = (2 * AROUND + 1) ** 2;
  forSums(grey, size, (at, sum) => {
    into[at] = (grey[at] * pixels - sum) >> 3;
  });
}

/**
 * The deviation over the mean size of the deviations around: the same in bright and in dark places, and for any exposure. `sizes` is
 * scratch.
 */
export function contrast(deviations: Int32Array, sizes: Int32Array, size: Size, into: Int32Array): void {
  const pixels = (2 * AROUND + 1) ** 2;
  for (let i = 0; i < sizes.length; i++) sizes[i] = Math.abs(deviations[i]);
  forSums(sizes, size, (at, sum) => {
    const mean = Math.trunc(sum / pixels) + FLOOR;
    into[at] = Math.min(Math.max(Math.trunc((deviations[at] * 128) / mean), -MOST_CONTRAST), MOST_CONTRAST);
  });
}

/** Calls `give` with the sum of the square around each pixel: sums of columns, which slide along the rows. */
function forSums(values: ArrayLike<number>, { width, height }: Size, give: (at: number, sum: number) => void): void {
  const columns = new Float64Array(width);
  for (let dy = -AROUND; dy <= AROUND; dy++) {
    const row = within(dy, height) * width;
    for (let x = 0; x < width; x++) columns[x] += values[row + x];
  }
  for (let y = 0; y < height; y++) {
    let sum = 0;
    for (let dx = -AROUND; dx <= AROUND; dx++) sum += columns[within(dx, width)];
    for (let x = 0; x < width; x++) {
      give(y * width + x, sum);
      sum += columns[within(x + AROUND + 1, width)] - columns[within(x - AROUND, width)];
    }
    const [out, next] = [within(y - AROUND, height) * width, within(y + AROUND + 1, height) * width];
    for (let x = 0; x < width; x++) columns[x] += values[next + x] - values[out + x];
  }
}
