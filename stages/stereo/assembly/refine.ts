/** Depth as stages/stereo/refine.ts has it, eight pixels of a window at a time. */
import { at } from "../../core/assembly/parts.ts";
import {
  COARSE,
  DRIFT,
  FEWEST,
  HALF,
  JOB_CONTRASTS,
  JOB_DEPTH,
  JOB_HEIGHT,
  JOB_MEDIANS,
  JOB_ROW,
  JOB_SCALE,
  JOB_WIDTH,
  LONGEST,
  MARGIN,
  NEAR,
  PARTS,
  REACH,
  STEPS,
} from "../layout.ts";

export function refine(job: usize, y: i32): void {
  const scale = <u64>at(job, JOB_SCALE);
  const into = at(job, JOB_DEPTH) + ((<usize>y * at(job, JOB_WIDTH)) << 1);
  for (let x = 0; x < <i32>at(job, JOB_WIDTH); x++) {
    const parts = <u64>refined(job, x, y);
    const z = parts === 0 ? 0 : (scale + (parts >> 1)) / parts;
    store<u16>(into + (x << 1), z > 65535 ? 0 : <u16>z);
  }
}

function refined(job: usize, x: i32, y: i32): i32 {
  const row = at(job, JOB_ROW);
  const stride = (row + 2 * MARGIN) << 1;
  const words = at(job, JOB_MEDIANS) + 2 * MARGIN + (x << 1);
  const own = <i32>load<i16>(words + <usize>y * stride) >> 1;
  if (own < 0) return 0;
  const start = own * (PARTS / COARSE);
  const middle = i16x8.splat(<i16>own);
  let parts = start;
  let counted = 0;
  for (let step = 0; step < STEPS; step++) {
    const isLast = step === STEPS - 1;
    const reach = isLast ? HALF : NEAR;
    const firstRow = max(0, y - reach);
    const lastRow = min(<i32>at(job, JOB_HEIGHT) - 1, y + reach);
    const whole = parts / PARTS;
    const part = i16x8.splat(<i16>((parts - whole * PARTS) * 128));
    // The window's weights, 0 where the right image has no pixel.
    const lowest = i16x8.splat(<i16>(whole + 2 - (x - reach)));
    const highest = i16x8.splat(<i16>(<i32>at(job, JOB_WIDTH) - 1 + whole - (x - reach)));
    const w0 = weights(isLast ? i16x8(1, 2, 3, 4, 5, 6, 7, 8) : i16x8(4, 5, 6, 7, 8, 9, 10, 9), 0, lowest, highest);
    const w1 = weights(isLast ? i16x8(9, 10, 9, 8, 7, 6, 5, 4) : i16x8(8, 7, 6, 5, 4, 0, 0, 0), 8, lowest, highest);
    const w2 = weights(i16x8(3, 2, 1, 0, 0, 0, 0, 0), 16, lowest, highest);
    let other = words + <usize>firstRow * stride - 2 * reach;
    let left = at(job, JOB_CONTRASTS) + ((<usize>firstRow * row + x - reach) << 1);
    let right = left + ((at(job, JOB_HEIGHT) * row - whole - 1) << 1);
    let sure = i64x2.splat(0);
    let sums = sure;
    for (let v = firstRow; v <= lastRow; v++) {
      const word0 = v128.load(other);
      const word1 = v128.load(other, 16);
      const same0 = isSame(word0, middle);
      const same1 = isSame(word1, middle);
      const value0 = between(right, part);
      const value1 = between(right + 16, part);
      let top = i64x2.splat(0);
      let bottom = top;
      let value2 = value1;
      if (isLast) {
        const word2 = v128.load(other, 32);
        const same2 = v128.and(isSame(word2, middle), i16x8(-1, -1, -1, 0, 0, 0, 0, 0));
        // Words of sure pixels are odd.
        const odd = i16x8.splat(1);
        sure = i16x8.add(sure, v128.and(v128.and(same0, word0), odd));
        sure = i16x8.add(sure, v128.and(v128.and(same1, word1), odd));
        sure = i16x8.add(sure, v128.and(v128.and(same2, word2), odd));
        value2 = between(right + 32, part);
        const here = v128.shuffle<u16>(value2, value2, 1, 2, 3, 4, 5, 6, 7, 7);
        const slope = i16x8.sub(v128.shuffle<u16>(value2, value2, 2, 3, 4, 5, 6, 7, 7, 7), value2);
        const weighted = v128.and(i16x8.mul(slope, w2), same2);
        top = i32x4.dot_i16x8_s(weighted, i16x8.sub(here, v128.load(left, 32)));
        bottom = i32x4.dot_i16x8_s(weighted, slope);
      }
      const here0 = v128.shuffle<u16>(value0, value1, 1, 2, 3, 4, 5, 6, 7, 8);
      const here1 = v128.shuffle<u16>(value1, value2, 1, 2, 3, 4, 5, 6, 7, 8);
      const slope0 = i16x8.sub(v128.shuffle<u16>(value0, value1, 2, 3, 4, 5, 6, 7, 8, 9), value0);
      const slope1 = i16x8.sub(v128.shuffle<u16>(value1, value2, 2, 3, 4, 5, 6, 7, 8, 9), value1);
      const weighted0 = v128.and(i16x8.mul(slope0, w0), same0);
      const weighted1 = v128.and(i16x8.mul(slope1, w1), same1);
      top = i32x4.add(top, i32x4.dot_i16x8_s(weighted0, i16x8.sub(here0, v128.load(left))));
      bottom = i32x4.add(bottom, i32x4.dot_i16x8_s(weighted0, slope0));
      top = i32x4.add(top, i32x4.dot_i16x8_s(weighted1, i16x8.sub(here1, v128.load(left, 16))));
      bottom = i32x4.add(bottom, i32x4.dot_i16x8_s(weighted1, slope1));
      const halves = i32x4.add(v128.shuffle<u32>(top, bottom, 0, 1, 4, 5), v128.shuffle<u32>(top, bottom, 2, 3, 6, 7));
      const both = i32x4.add(halves, v128.shuffle<u32>(halves, halves, 1, 0, 3, 2));
      const weight = HALF + 1 - abs<i32>(v - y);
      sums = i32x4.add(sums, i32x4.shr_s(i32x4.mul(both, i32x4.splat(weight)), 4));
      other += stride;
      left += row << 1;
      right += row << 1;
    }
    counted = sumOf(sure);
    const weight = (i32x4.extract_lane(sums, 2) >> 7) / 3;
    const move = weight > 0 ? i32x4.extract_lane(sums, 0) / weight : 0;
    parts = max(1, parts + min(max(move, -LONGEST), LONGEST));
  }
  if (counted < FEWEST) return 0;
  return abs<i32>(parts - start) < DRIFT ? parts : start;
}

function weights(all: v128, first: i16, lowest: v128, highest: v128): v128 {
  const place = i16x8.add(i16x8.splat(first), i16x8(0, 1, 2, 3, 4, 5, 6, 7));
  return v128.and(all, v128.and(i16x8.ge_s(place, lowest), i16x8.lt_s(place, highest)));
}

/** Whether a word's disparity is near `own`. Those that are none are far from all. */
function isSame(word: v128, own: v128): v128 {
  const away = i16x8.sub_sat_s(i16x8.shr_s(word, 1), own);
  return i16x8.lt_s(i16x8.abs(away), i16x8.splat(<i16>REACH));
}

/** Eight values of the right image, each between a pixel and the one before it. */
function between(right: usize, part: v128): v128 {
  const pixel = v128.load(right);
  return i16x8.add(pixel, i16x8.q15mulr_sat_s(i16x8.sub(v128.load(right - 2), pixel), part));
}

function sumOf(counts: v128): i32 {
  const four = i32x4.extadd_pairwise_i16x8_s(counts);
  const two = i32x4.add(four, v128.shuffle<u32>(four, four, 2, 3, 0, 1));
  return i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1);
}
