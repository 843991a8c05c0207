/**
 * The masked median 3×3 as shaders/median/size3.wgsl and size3.ts compute it (there is the method), eight pixels at a time.
 *
 *   rows y−1, y, y+1 ──► sorted columns: low, middle, high, parity (a plane of scratch each) ──► three columns side by side
 *
 * Rows lie `stride` bytes apart, a multiple of 16; a row of zeros stands before the first and after the last. A plane of
 * scratch is `MARGIN` bytes, a row, `MARGIN` bytes, where the caller has written what a column outside the image is: 0, 0, 65535, 65535.
 */
import { MARGIN } from "../layout.ts";
import { storeMedians } from "./thin.ts";

export function median(source: usize, sink: usize, scratch: usize, stride: usize, height: i32): void {
  for (let y = 0; y < height; y++) {
    sortColumns(source, stride, scratch);
    medians(source, sink, stride, scratch);
    source += stride;
    sink += stride;
  }
}

/** Sorts the columns of the rows around `row` into scratch. A hole that makes the number of zeros even turns into 65535. */
function sortColumns(row: usize, stride: usize, scratch: usize): void {
  const zero = i64x2.splat(0);
  const plane = stride + 2 * MARGIN;
  let x: usize = 0;
  do {
    const above = v128.load(row + x - stride);
    const own = v128.load(row + x);
    const below = v128.load(row + x + stride);
    const hole0 = i16x8.eq(above, zero);
    const hole1 = i16x8.eq(own, zero);
    const hole2 = i16x8.eq(below, zero);
    const parity = v128.xor(hole0, hole1);
    const second = v128.or(own, v128.and(hole0, hole1));
    const third = v128.or(below, v128.and(parity, hole2));
    const low = i16x8.min_u(above, second);
    const high = i16x8.max_u(above, second);
    const rest = i16x8.max_u(low, third);
    const at = scratch + MARGIN + x;
    v128.store(at, i16x8.min_u(low, third));
    v128.store(at + plane, i16x8.min_u(rest, high));
    v128.store(at + 2 * plane, i16x8.max_u(rest, high));
    v128.store(at + 3 * plane, v128.xor(parity, hole2));
    x += 16;
  } while (x < stride);
}

/**
 * Writes one row of medians. If the first two columns both hold an odd number of zeros, one more zero of the second turns into 65535,
 * which shifts that column's values by one place; likewise for these two together and the third. Invalid centres stay 0.
 */
function medians(row: usize, sink: usize, stride: usize, scratch: usize): void {
  const zero = i64x2.splat(0);
  const plane = stride + 2 * MARGIN;
  let x: usize = 0;
  do {
    const lows = scratch + MARGIN - 2 + x;
    const middles = lows + plane;
    const highs = middles + plane;
    const parities = highs + plane;
    const parity = v128.load(parities);
    const parity1 = v128.load(parities, 2);
    const shift1 = v128.and(parity, parity1);
    const shift2 = v128.and(v128.xor(parity, parity1), v128.load(parities, 4));
    const middle1 = v128.load(middles, 2);
    const middle2 = v128.load(middles, 4);
    const high1 = v128.load(highs, 2);
    const high2 = v128.load(highs, 4);
    // The largest low, the median middle, the smallest high; then the median of those.
    const low = max3(
      v128.load(lows),
      v128.bitselect(middle1, v128.load(lows, 2), shift1),
      v128.bitselect(middle2, v128.load(lows, 4), shift2),
    );
    const middle = middleOf(
      v128.load(middles),
      v128.bitselect(high1, middle1, shift1),
      v128.bitselect(high2, middle2, shift2),
    );
    const high = i16x8.min_u(v128.load(highs), i16x8.min_u(v128.or(high1, shift1), v128.or(high2, shift2)));
    const median = v128.andnot(middleOf(low, middle, high), i16x8.eq(v128.load(row + x), zero));
    storeMedians(sink, median, row, x, stride, true);
    x += 16;
  } while (x < stride);
}

function max3(a: v128, b: v128, c: v128): v128 {
  return i16x8.max_u(a, i16x8.max_u(b, c));
}

function middleOf(a: v128, b: v128, c: v128): v128 {
  return i16x8.max_u(i16x8.min_u(a, b), i16x8.min_u(i16x8.max_u(a, b), c));
}
