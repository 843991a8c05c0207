import { AROUND, FLOOR, MOST_CONTRAST } from "./layout.ts";

/** One image of the pair, or what is computed of one: by rows, without padding. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** How many pixels `boxSums` adds up. */
const PIXELS = (2 * AROUND + 1) ** 2;

const inside = (at: number, end: number) => Math.min(Math.max(at, 0), end - 1);

/** The brightness at column `x` of row `y`. Pixels outside the image are the nearest inside. */
const greyAt = (grey: ArrayLike<number>, { width, height }: Size, x: number, y: number) =>
  grey[inside(y, height) * width + inside(x, width)];

/** Calls `give` with the sum of the square around each pixel. `columns` has room for the sum of each column over the rows of the square. */
function boxSums(
  tile: ArrayLike<number>,
  { width, height }: Size,
  columns: Float64Array,
  give: (at: number, sum: number) => void,
): void {
  columns.fill(0);
  for (let dy = -AROUND; dy <= AROUND; dy++) {
    const row = inside(dy, height) * width;
    for (let x = 0; x < width; x++) columns[x] += tile[row + x];
  }
  for (let y = 0; y < height; y++) {
    let sum = 0;
    for (let dx = -AROUND; dx <= AROUND; dx++) sum += columns[inside(dx, width)];
    for (let x = 0; x < width; x++) {
      give(y * width + x, sum);
      sum += columns[inside(x + AROUND + 1, width)] - columns[inside(x - AROUND, width)];
    }
    const [out, next] = [inside(y - AROUND, height) * width, inside(y + AROUND + 1, height) * width];
    for (let x = 0; x < width; x++) columns[x] += tile[next + x] - tile[out + x];
  }
}

/**
 * The census of each pixel, and its deviation: its brightness less the mean around it, in eighths of a step of brightness, times the number
 * of pixels around it.
 */
export function censuses(
  grey: ArrayLike<number>,
  size: Size,
  columns: Float64Array,
  codes: Uint32Array,
  deviations: Int32Array,
): void {
  boxSums(grey, size, columns, (at, sum) => {
    census(grey, size, at, codes);
    deviations[at] = (grey[at] * PIXELS - sum) >> 3;
  });
}

/**
 * The census of one pixel (Zabih and Woodfill 1994): for each of the 62 pixels around it, 9 × 7, whether that pixel is darker; two words
 * of 31 bits, by rows.
 */
function census(grey: ArrayLike<number>, size: Size, middle: number, codes: Uint32Array): void {
  const [x, y, own] = [(middle % size.width) - 4, Math.trunc(middle / size.width) - 3, grey[middle]];
  let [first, second] = [0, 0];
  // The 31 pixels before the pixel itself, and the 31 behind it.
  for (let bit = 0; bit < 31; bit++) {
    const before = greyAt(grey, size, x + (bit % 9), y + Math.trunc(bit / 9));
    const behind = greyAt(grey, size, x + ((bit + 32) % 9), y + Math.trunc((bit + 32) / 9));
    first |= Number(before < own) << bit;
    second |= Number(behind < own) << bit;
  }
  codes[2 * middle] = first;
  codes[2 * middle + 1] = second;
}

/**
 * The deviation over the mean size of the deviations around: the same in bright and in dark places, and for any exposure. `tile` and
 * `columns` are scratch.
 */
export function contrasts(
  deviations: Int32Array,
  tile: Int32Array,
  size: Size,
  columns: Float64Array,
  into: Int32Array,
): void {
  for (let i = 0; i < tile.length; i++) tile[i] = Math.abs(deviations[i]);
  boxSums(tile, size, columns, (at, sum) => {
    const contrast = Math.trunc((deviations[at] * 128) / (Math.trunc(sum / PIXELS) + FLOOR));
    into[at] = Math.min(Math.max(contrast, -MOST_CONTRAST), MOST_CONTRAST);
  });
}
