/** The census, contrast and costs as stages/stereo/census.ts and match.ts have them, eight pixels at a time. */
import { at } from "../../core/assembly/parts.ts";
import {
  AROUND,
  EDGE,
  FLOOR,
  JOB_CODES,
  JOB_CONTRASTS,
  JOB_COSTS,
  JOB_COUNT,
  JOB_DEVIATIONS,
  JOB_FROM,
  JOB_GREY,
  JOB_HEIGHT,
  JOB_ROW,
  JOB_WIDTH,
  MOST_CONTRAST,
} from "../layout.ts";

const PIXELS: i32 = 169;

/** The bytes of a row of censuses. A row of the right image begins with copies of its first census, one for each disparity. */
function codesRow(job: usize): usize {
  return (at(job, JOB_ROW) + at(job, JOB_COUNT) + at(job, JOB_FROM)) << 3;
}

/** The address of a row's first pixel; for a row outside the image, that of the nearest row inside. `size` is a value's bytes. */
function rowAt(first: usize, y: i32, job: usize, size: usize): usize {
  const inside = <usize>max(0, min(y, <i32>at(job, JOB_HEIGHT) - 1));
  return first + (inside * (at(job, JOB_ROW) + 2 * EDGE) + EDGE) * size;
}

/** The first step: censuses and deviations of a row of both images. `scratch` has room for a row of sums. */
export function prepare(job: usize, scratch: usize, y: i32, isFirst: bool): void {
  const image = at(job, JOB_HEIGHT) * (at(job, JOB_ROW) + 2 * EDGE);
  for (let side: usize = 0; side < 2; side++) {
    const grey = at(job, JOB_GREY) + 2 * side * image;
    codeRow(job, grey, at(job, JOB_CODES) + (side * at(job, JOB_HEIGHT) + y) * codesRow(job), y);
    const sums = scratch + ((side * (at(job, JOB_ROW) + 2 * EDGE)) << 2);
    sumColumns(job, grey, 2, sums, y, isFirst);
    const width = <i32>at(job, JOB_WIDTH);
    const own = rowAt(grey, y, job, 2);
    const into = rowAt(at(job, JOB_DEVIATIONS) + 4 * side * image, y, job, 4);
    for (let x = 0; x < width; x += 4) {
      const four = i32x4.mul(v128.load_ext<u16>(own + (x << 1)), i32x4.splat(PIXELS));
      v128.store(into + (x << 2), i32x4.shr_s(i32x4.sub(four, boxSums(sums, x)), 3));
    }
    for (let x = 1; x <= AROUND; x++) {
      store<i32>(into - (x << 2), load<i32>(into));
      store<i32>(into + ((width - 1 + x) << 2), load<i32>(into + ((width - 1) << 2)));
    }
  }
}

/** The second step: contrasts of a row of both images, and costs. */
export function compare(job: usize, scratch: usize, y: i32, isFirst: bool): void {
  const row = at(job, JOB_ROW);
  const image = at(job, JOB_HEIGHT) * (row + 2 * EDGE);
  for (let side: usize = 0; side < 2; side++) {
    const deviations = at(job, JOB_DEVIATIONS) + 4 * side * image;
    const sums = scratch + ((side * (row + 2 * EDGE)) << 2);
    sumColumns(job, deviations, 4, sums, y, isFirst);
    const own = rowAt(deviations, y, job, 4);
    const into = at(job, JOB_CONTRASTS) + 2 * (side * at(job, JOB_HEIGHT) + y) * row;
    for (let x = 0; x < <i32>at(job, JOB_WIDTH); x += 4) {
      const tops = i32x4.shl(v128.load(own + (x << 2)), 7);
      const boxes = boxSums(sums, x);
      const quotients = v128.shuffle<u64>(
        quotient(tops, boxes),
        quotient(v128.shuffle<u64>(tops, tops, 1, 0), v128.shuffle<u64>(boxes, boxes, 1, 0)),
        0,
        2,
      );
      const most = i32x4.splat(MOST_CONTRAST);
      const contrasts = i32x4.max_s(i32x4.neg(most), i32x4.min_s(quotients, most));
      v128.store64_lane(into + (x << 1), i16x8.narrow_i32x4_s(contrasts, contrasts), 0);
    }
  }
  const count = at(job, JOB_COUNT);
  let left = at(job, JOB_CODES) + <usize>y * codesRow(job) + ((count + at(job, JOB_FROM)) << 3);
  let right = left + at(job, JOB_HEIGHT) * codesRow(job) - (at(job, JOB_FROM) << 3);
  let costs = at(job, JOB_COSTS) + <usize>y * at(job, JOB_WIDTH) * count;
  const end = costs + at(job, JOB_WIDTH) * count;
  while (costs < end) {
    const own = load<u64>(left);
    let d: usize = 0;
    do {
      const other = right - (d << 3) - 56;
      store<u8>(costs + d, <u8>popcnt(own ^ load<u64>(other, 56)));
      store<u8>(costs + d, <u8>popcnt(own ^ load<u64>(other, 48)), 1);
      store<u8>(costs + d, <u8>popcnt(own ^ load<u64>(other, 40)), 2);
      store<u8>(costs + d, <u8>popcnt(own ^ load<u64>(other, 32)), 3);
      store<u8>(costs + d, <u8>popcnt(own ^ load<u64>(other, 24)), 4);
      store<u8>(costs + d, <u8>popcnt(own ^ load<u64>(other, 16)), 5);
      store<u8>(costs + d, <u8>popcnt(own ^ load<u64>(other, 8)), 6);
      store<u8>(costs + d, <u8>popcnt(own ^ load<u64>(other)), 7);
      d += 8;
    } while (d < count);
    left += 8;
    right += 8;
    costs += count;
  }
}

/** Four 16-bit words of a pixel's census get a bit of each of its neighbours in turn: another order than the twin's, of the same bits. */
function codeRow(job: usize, grey: usize, codes: usize, y: i32): void {
  const margin = (at(job, JOB_COUNT) + at(job, JOB_FROM)) << 3;
  const own = rowAt(grey, y, job, 2);
  for (let x: usize = 0; x < at(job, JOB_ROW) << 1; x += 16) {
    const middle = v128.load(own + x);
    let a = i64x2.splat(0);
    let b = a;
    let c = a;
    let d = a;
    for (let dy = -3; dy <= 3; dy++) {
      const near = rowAt(grey, y + dy, job, 2) + x;
      a = darker(darker(a, middle, near - 8), middle, near - 6);
      b = darker(darker(b, middle, near - 4), middle, near - 2);
      if (dy < -1) a = darker(a, middle, near);
      else if (dy > 1) c = darker(c, middle, near);
      else if (dy !== 0) b = darker(b, middle, near);
      c = darker(darker(c, middle, near + 2), middle, near + 4);
      d = darker(darker(d, middle, near + 6), middle, near + 8);
    }
    const abLow = v128.shuffle<u16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    const abHigh = v128.shuffle<u16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    const cdLow = v128.shuffle<u16>(c, d, 0, 8, 1, 9, 2, 10, 3, 11);
    const cdHigh = v128.shuffle<u16>(c, d, 4, 12, 5, 13, 6, 14, 7, 15);
    const into = codes + margin + (x << 2);
    v128.store(into, v128.shuffle<u32>(abLow, cdLow, 0, 4, 1, 5));
    v128.store(into, v128.shuffle<u32>(abLow, cdLow, 2, 6, 3, 7), 16);
    v128.store(into, v128.shuffle<u32>(abHigh, cdHigh, 0, 4, 1, 5), 32);
    v128.store(into, v128.shuffle<u32>(abHigh, cdHigh, 2, 6, 3, 7), 48);
  }
  const first = load<u64>(codes + margin);
  for (let i: usize = 0; i < margin; i += 8) store<u64>(codes + i, first);
}

/** Appends one bit to the bits of each of eight pixels: whether its neighbour, the first of which lies at `near`, is darker. */
function darker(bits: v128, own: v128, near: usize): v128 {
  return i16x8.sub(i16x8.shl(bits, 1), i16x8.lt_u(v128.load(near), own));
}

/** Sums of 13 values of each column around row `y`; the last row's are at `sums` unless the row is a part's first. */
function sumColumns(job: usize, values: usize, size: usize, sums: usize, y: i32, isFirst: bool): void {
  const end = (at(job, JOB_ROW) + 2 * EDGE) << 2;
  if (isFirst) memory.fill(sums, 0, end);
  for (let dy = isFirst ? -AROUND : AROUND; dy <= AROUND; dy++)
    addRow(rowAt(values, y + dy, job, size), size, sums, end, 1);
  if (!isFirst) addRow(rowAt(values, y - AROUND - 1, job, size), size, sums, end, -1);
}

function addRow(row: usize, size: usize, sums: usize, end: usize, sign: i32): void {
  const signs = i32x4.splat(sign);
  let value = row - <usize>EDGE * size;
  for (let i: usize = 0; i < end; i += 16) {
    const four = size === 2 ? v128.load_ext<u16>(value) : i32x4.abs(v128.load(value));
    v128.store(sums + i, i32x4.add(v128.load(sums + i), i32x4.mul(four, signs)));
    value += 4 * size;
  }
}

/** The sums of the squares around four pixels from column `x` on. */
function boxSums(sums: usize, x: i32): v128 {
  let place = sums + ((x + EDGE - AROUND) << 2);
  let sum = v128.load(place);
  for (let i = 0; i < AROUND; i++) {
    sum = i32x4.add(sum, i32x4.add(v128.load(place, 4), v128.load(place, 8)));
    place += 8;
  }
  return sum;
}

/** The first two of four contrasts. Quotients of whole numbers as small as these are exact, cut off, in floating point, too. */
function quotient(tops: v128, boxes: v128): v128 {
  const mean = f64x2.floor(f64x2.div(f64x2.convert_low_i32x4_s(boxes), f64x2.splat(<f64>PIXELS)));
  const below = f64x2.add(mean, f64x2.splat(<f64>FLOOR));
  return i32x4.trunc_sat_f64x2_s_zero(f64x2.div(f64x2.convert_low_i32x4_s(tops), below));
}
