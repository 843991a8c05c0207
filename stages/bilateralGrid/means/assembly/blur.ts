/**
 * `blur` of stages/bilateralGrid/means/blur.ts: four raw words of a column at a time along x and y, then two cells at a time along depth.
 *
 *   5 × 5 columns ──► weights, sums (whole numbers, kept as f64) ──► pairs of f32
 *   r … r+3               r … r+3                   p … p+4          p
 */
import { EMPTY_RANGE, RANGE_PAD } from "../layout.ts";

/**
 * `grid` has columns of `column` bytes, as build.ts leaves them: `RANGE_PAD` columns of zeros all around, and zeros outside of ranges.
 * `bases` holds an f64 for each raw word; `sums` and `weights` have room for as many and four more. `grid` and `range` are where the
 * padding begins. A column of the blurred grid takes `pairs` bytes. Counts begin at the bit `countBit`; `mask` has the bits below it.
 */
export function blur(
  grid: usize,
  column: usize,
  range: usize,
  bases: usize,
  sums: usize,
  weights: usize,
  blurred: usize,
  pairs: usize,
  columns: i32,
  rows: i32,
  countBit: i32,
  mask: i32,
): void {
  const across: usize = (columns + 2 * RANGE_PAD) << 2;
  const row: usize = column * (columns + 2 * RANGE_PAD);
  for (let y = 0; y < rows + 2; y++) {
    for (let x = 0; x < columns + 2; x++) {
      // The corner of the 5 × 5 ranges around the column. Pixels that read this column lie in the inner 3 × 3.
      const inner = range + across + 4;
      const range0 = v128.load(inner);
      const range1 = v128.load(inner + across);
      const range2 = v128.load(inner + 2 * across);
      const low = i16x8.min_u(range0, i16x8.min_u(range1, range2));
      const first: usize = min(
        i16x8.extract_lane_u(low, 0),
        min(i16x8.extract_lane_u(low, 2), i16x8.extract_lane_u(low, 4)),
      );
      if (first !== EMPTY_RANGE) {
        const high = i16x8.max_u(range0, i16x8.max_u(range1, range2));
        const last: usize = max(
          i16x8.extract_lane_u(high, 1),
          max(i16x8.extract_lane_u(high, 3), i16x8.extract_lane_u(high, 5)),
        );
        // Entries first … last + 2 come from the words first … last + 6.
        for (let word = first; word <= last + 6; word += 4) {
          aside(grid + (word << 2), column, row, countBit, mask, bases, sums, weights, word << 3);
        }
        for (let at = first << 3; at <= (last + 2) << 3; at += 16) {
          v128.store(blurred + at, v128.shuffle<u32>(along(sums + at), along(weights + at), 0, 4, 1, 5));
        }
      }
      blurred += pairs;
      grid += column;
      range += 4;
    }
    grid += column << 2;
    range += 16;
  }
}

/** Blurs counts and offset sums of four words by 1 4 6 4 1 along x and y, and converts the sums to depths; exact in f64. */
function aside(
  grid: usize,
  column: usize,
  row: usize,
  countBit: i32,
  mask: i32,
  bases: usize,
  sums: usize,
  weights: usize,
  at: usize,
): void {
  const bits = i32x4.splat(mask);
  let count = i64x2.splat(0);
  let sum = i64x2.splat(0);
  for (let y = 0; y < 5; y++) {
    const v0 = v128.load(grid);
    const v1 = v128.load(grid + column);
    const v2 = v128.load(grid + 2 * column);
    const v3 = v128.load(grid + 3 * column);
    const v4 = v128.load(grid + 4 * column);
    const tap = i32x4.splat(y === 2 ? 6 : y & 1 ? 4 : 1);
    const ends = i32x4.add(i32x4.shr_u(v0, countBit), i32x4.shr_u(v4, countBit));
    const besides = i32x4.add(i32x4.shr_u(v1, countBit), i32x4.shr_u(v3, countBit));
    count = i32x4.add(count, i32x4.mul(tap, tapped(ends, besides, i32x4.shr_u(v2, countBit))));
    const sumEnds = i32x4.add(v128.and(v0, bits), v128.and(v4, bits));
    const sumBesides = i32x4.add(v128.and(v1, bits), v128.and(v3, bits));
    sum = i32x4.add(sum, i32x4.mul(tap, tapped(sumEnds, sumBesides, v128.and(v2, bits))));
    grid += row;
  }
  const low = f64x2.convert_low_i32x4_u(count);
  v128.store(weights + at, low);
  v128.store(sums + at, f64x2.add(f64x2.convert_low_i32x4_u(sum), f64x2.mul(low, v128.load(bases + at))));
  const high = f64x2.convert_low_i32x4_u(v128.shuffle<u64>(count, count, 1, 0));
  v128.store(weights + at, high, 16);
  const sumHigh = f64x2.convert_low_i32x4_u(v128.shuffle<u64>(sum, sum, 1, 0));
  v128.store(sums + at, f64x2.add(sumHigh, f64x2.mul(high, v128.load(bases + at, 16))), 16);
}

function tapped(ends: v128, besides: v128, middle: v128): v128 {
  return i32x4.add(i32x4.add(ends, i32x4.shl(besides, 2)), i32x4.mul(middle, i32x4.splat(6)));
}

/** The sums of two cells along depth, 1 4 6 4 1, as f32 in the lower half. */
function along(at: usize): v128 {
  const ends = f64x2.add(v128.load(at), v128.load(at, 32));
  const besides = f64x2.mul(f64x2.add(v128.load(at, 8), v128.load(at, 24)), f64x2.splat(4));
  return f32x4.demote_f64x2_zero(f64x2.add(f64x2.add(ends, besides), f64x2.mul(v128.load(at, 16), f64x2.splat(6))));
}
