/** The disparities of least cost as stages/stereo/match.ts has them, and their medians as refine.ts has them, eight at a time. */
import { at } from "../../core/assembly/parts.ts";
import {
  CHANCE,
  COARSE,
  FILL,
  JOB_COSTS,
  JOB_COUNT,
  JOB_FOUND,
  JOB_FROM,
  JOB_MEDIANS,
  JOB_PATHS,
  JOB_ROW,
  JOB_SUMS,
  JOB_UNIQUENESS,
  JOB_WIDTH,
  NONE,
  PLANE_EDGE,
  PLANE_SURE,
} from "../layout.ts";

/**
 * Writes the disparities of the row that begins with the pixel `row`, NONE where there is none. `scratch` has what the paths of one sweep
 * add to each of the row's costs. Behind it, it has room for one pixel's sums; for marks (`judged`); for the least sum so far, and its
 * disparity, of each right pixel that the left one may be; for such disparities of the whole row, from the last pixel to the first, and 512
 * beyond; and for the row's disparities.
 */
export function choose(job: usize, scratch: usize, row: usize): void {
  const count = at(job, JOB_COUNT);
  const width = at(job, JOB_WIDTH);
  const from = at(job, JOB_FROM);
  const paths = <i32>(at(job, JOB_PATHS) >> 2) + 1;
  const size = count << 1;
  const own = scratch + width * count + 16;
  const beside = own + 2 * size;
  const rights = beside + size + 16;
  const theirs = rights + 2 * size;
  const places = theirs + ((width + 512) << 1);
  const into = at(job, JOB_FOUND) + (((row / width + 2) * (at(job, JOB_ROW) + 2 * PLANE_EDGE) + PLANE_EDGE) << 1);
  const never = i16x8.splat(32767);
  memory.fill(own, 0, theirs - own);
  memory.fill(beside, 255, 6);
  for (let d: usize = 0; d < size; d += 16) v128.store(rights + d, never);
  let costs = at(job, JOB_COSTS) + row * count;
  let other = at(job, JOB_SUMS) + row * count;
  let one = scratch;
  for (let x: usize = 0; x < width; x++) {
    let least = never;
    let before = never;
    // A right pixel meets its disparities one after the other, from the least on: the last number is the highest.
    let best = i64x2.splat(0);
    let beforeNumbers = best;
    let number = i16x8(0, 1, 2, 3, 4, 5, 6, 7);
    let d: usize = 0;
    do {
      const half = d >> 1;
      const cost = i16x8.shl(v128.load_ext<u8>(costs + half), paths);
      const added = i16x8.add(v128.load_ext<u8>(one + half), v128.load_ext<u8>(other + half));
      const sum = i16x8.add(cost, added);
      v128.store(own + d, sum);
      best = i16x8.max_s(best, v128.and(number, i16x8.lt_s(sum, least)));
      least = i16x8.min_s(least, sum);
      const right = v128.load(rights + d);
      const numbers = v128.load(rights + size + d);
      const theirLeast = v128.shuffle<u16>(before, right, 7, 8, 9, 10, 11, 12, 13, 14);
      const theirNumber = v128.shuffle<u16>(beforeNumbers, numbers, 7, 8, 9, 10, 11, 12, 13, 14);
      v128.store(rights + d, i16x8.min_s(sum, theirLeast));
      v128.store(rights + size + d, i16x8.max_s(theirNumber, v128.and(number, i16x8.lt_s(sum, theirLeast))));
      before = right;
      beforeNumbers = numbers;
      number = i16x8.add(number, i16x8.splat(8));
      d += 16;
    } while (d < size);
    // The last one is no other left pixel's.
    store<u16>(theirs + ((width - 1 - x + from + count - 1) << 1), load<u16>(rights + 2 * size - 2));
    const cost = leastOf(least);
    const place = leastOf(v128.bitselect(best, never, i16x8.eq(least, i16x8.splat(<i16>cost))));
    store<u16>(into + (x << 1), judged(job, own, beside, <i32>place, <i32>cost, <i32>count));
    // Whether the right image's pixel sees something farther is known only at the row's end.
    store<u16>(places + (x << 1), place);
    costs += count;
    other += count;
    one += count;
  }
  memory.copy(theirs + (from << 1), rights + size, size);
  for (let x: usize = 0; x < width; x++) {
    const d = <usize>load<u16>(places + (x << 1));
    const isSeen = x >= d + from && d <= <usize>load<u16>(theirs + ((width - 1 - x + from + d) << 1)) + 1;
    if (!isSeen) store<u16>(into + (x << 1), NONE);
  }
}

/** The disparity of the sum that is the `least`, the sum of disparity `d`. The three values at `beside` are as high as they can be. */
function judged(job: usize, sums: usize, beside: usize, d: i32, least: i32, count: i32): u16 {
  if (d === 0) return <u16>NONE;
  // The sums beside the least are no rivals.
  const no = beside - ((<usize>d) << 1) + 2;
  let rival = i16x8.splat(-1);
  for (let i = 0; i < count << 1; i += 32) {
    const two = i16x8.min_u(
      v128.or(v128.load(sums + i), v128.load(no + i)),
      v128.or(v128.load(sums + i, 16), v128.load(no + i, 16)),
    );
    rival = i16x8.min_u(rival, two);
  }
  const second = <i32>leastOf(rival);
  if (second * (100 - <i32>at(job, JOB_UNIQUENESS)) < least * 100) return <u16>NONE;
  const place = sums + ((<usize>d) << 1);
  const before = <i32>load<u16>(place - 2);
  const after = <i32>load<u16>(place, 2);
  const bend = before + after - 2 * least;
  const part = d + 1 < count && bend > 0 ? ((before - after) * (COARSE / 2)) / bend : 0;
  const sure = least < CHANCE * <i32>at(job, JOB_PATHS) ? PLANE_SURE : 0;
  return <u16>((<i32>at(job, JOB_FROM) + d) * COARSE + part + sure);
}

function leastOf(a: v128): u16 {
  let least = i16x8.min_u(a, v128.shuffle<u64>(a, a, 1, 0));
  least = i16x8.min_u(least, v128.shuffle<u32>(least, least, 1, 0, 3, 2));
  return i16x8.extract_lane_u(i16x8.min_u(least, v128.shuffle<u16>(least, least, 1, 0, 3, 2, 5, 4, 7, 6)), 0);
}

/**
 * Writes a row of medians: twice the disparity, plus one if it is sure; -32768 where there is no disparity. `scratch` has room for 25
 * vectors.
 */
export function middle(job: usize, scratch: usize, y: usize): void {
  const stride = (at(job, JOB_ROW) + 2 * PLANE_EDGE) << 1;
  const nothing = i16x8.splat(<i16>NONE);
  for (let x: usize = 0; x < at(job, JOB_ROW) << 1; x += 16) {
    const own = at(job, JOB_FOUND) + (y + 2) * stride + 2 * PLANE_EDGE + x;
    let valid = i64x2.splat(0);
    let least = nothing;
    let most = i64x2.splat(0);
    let place = own - 2 * stride - 4;
    for (let i: usize = 0; i < 400; i += 16) {
      const value = v128.and(v128.load(place), nothing);
      v128.store(scratch + i, value);
      const isValid = i16x8.lt_s(value, nothing);
      valid = i16x8.sub(valid, isValid);
      least = i16x8.min_s(least, value);
      most = i16x8.max_s(most, v128.and(value, isValid));
      place += i % 80 === 64 ? stride - 8 : 2;
    }
    const half = i16x8.shr_u(valid, 1);
    const word = v128.load(own);
    const sure = i16x8.shr_u(word, 14);
    const isNone = v128.and(i16x8.eq(v128.and(word, nothing), nothing), i16x8.lt_s(valid, i16x8.splat(<i16>FILL)));
    // Finds the median bit by bit from the top: a bit is set if at most half of the values lie below the number that it gives.
    let median = least;
    for (let bit = bitsOf(v128.andnot(i16x8.sub(most, least), isNone)) - 1; bit >= 0; bit--) {
      const higher = i16x8.add(median, i16x8.splat(<i16>(1 << (<i16>bit))));
      let below = i64x2.splat(0);
      let place = scratch;
      do {
        below = i16x8.add(below, i16x8.lt_s(v128.load(place), higher));
        below = i16x8.add(below, i16x8.lt_s(v128.load(place, 16), higher));
        below = i16x8.add(below, i16x8.lt_s(v128.load(place, 32), higher));
        below = i16x8.add(below, i16x8.lt_s(v128.load(place, 48), higher));
        below = i16x8.add(below, i16x8.lt_s(v128.load(place, 64), higher));
        place += 80;
      } while (place < scratch + 400);
      median = v128.bitselect(higher, median, i16x8.le_s(i16x8.neg(below), half));
    }
    const into = at(job, JOB_MEDIANS) + y * stride + 2 * PLANE_EDGE + x;
    v128.store(into, v128.bitselect(i16x8.splat(-32768), i16x8.add(i16x8.shl(median, 1), sure), isNone));
  }
}

/** How many bits the largest of eight values has that are not negative. */
function bitsOf(values: v128): i32 {
  const four = v128.or(values, v128.shuffle<u64>(values, values, 1, 0));
  const two = v128.or(four, v128.shuffle<u32>(four, four, 1, 0, 3, 2));
  return 32 - clz<i32>(i16x8.extract_lane_u(two, 0) | i16x8.extract_lane_u(two, 1));
}
