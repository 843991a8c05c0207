/** The disparities of least cost as stages/stereo/match.ts has them, and their medians as refine.ts has them, eight at a time. */
import { at } from "../../core/assembly/parts.ts";
import {
  CHANCE,
  COARSE,
  FILL,
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
 * Writes a row of disparities, NONE where there is none, and spoils the row's sums. `scratch` has room for the least sum of each of the
 * right image's pixels, from the last pixel to the first, and 512 beyond, and for the disparities of these sums.
 */
export function choose(job: usize, scratch: usize, y: usize): void {
  const count = at(job, JOB_COUNT);
  const width = at(job, JOB_WIDTH);
  const from = at(job, JOB_FROM);
  const rights = scratch;
  const theirs = rights + ((width + 512) << 1);
  const into = at(job, JOB_FOUND) + (((y + 2) * (at(job, JOB_ROW) + 2 * PLANE_EDGE) + PLANE_EDGE) << 1);
  let own = at(job, JOB_SUMS) + ((y * width * count) << 1);
  memory.fill(rights, 255, (width + 512) << 1);
  for (let x: usize = 0; x < width; x++) {
    const right = rights + ((width - 1 - x + from) << 1);
    let least = i16x8.splat(-1);
    let number = i16x8(0, 1, 2, 3, 4, 5, 6, 7);
    let d: usize = 0;
    do {
      const sum = v128.load(own + d);
      least = i16x8.min_u(least, sum);
      const theirLeast = v128.load(right + d);
      const there = theirs + (right - rights) + d;
      v128.store(there, v128.bitselect(number, v128.load(there), i16x8.lt_u(sum, theirLeast)));
      v128.store(right + d, i16x8.min_u(sum, theirLeast));
      number = i16x8.add(number, i16x8.splat(8));
      d += 16;
    } while (d < count << 1);
    const cost = leastOf(least);
    const place = firstOf(own, cost);
    store<u16>(into + (x << 1), judged(job, own, place, <i32>cost, <i32>count));
    // Whether the right image's pixel sees something farther is known only at the row's end. Until then the disparity is kept in place of
    // the pixel's first sum.
    store<u16>(own, <u16>(place >> 1));
    own += count << 1;
  }
  own -= (width * count) << 1;
  for (let x: usize = 0; x < width; x++) {
    const d = <usize>load<u16>(own);
    const isSeen = x >= d + from && d <= <usize>load<u16>(theirs + ((width - 1 - x + from + d) << 1)) + 1;
    if (!isSeen) store<u16>(into + (x << 1), NONE);
    own += count << 1;
  }
}

/** The disparity of the sum that is the `least`, which lies `first` bytes behind the first sum. */
function judged(job: usize, sums: usize, first: usize, least: i32, count: i32): u16 {
  const d = <i32>(first >> 1);
  if (d === 0) return <u16>NONE;
  const isLast = d + 1 === count;
  const place = sums + first;
  const before = <i32>load<u16>(place - 2);
  const after = <i32>load<u16>(place, 2);
  // The sums beside the least are no rivals. The next pixel begins behind the last one.
  store<u32>(place - 2, 0xffffffff);
  if (!isLast) store<u16>(place, 65535, 2);
  let rival = i16x8.splat(-1);
  for (let i = 0; i < count << 1; i += 16) rival = i16x8.min_u(rival, v128.load(sums + i));
  const second = <i32>leastOf(rival);
  if (second * (100 - <i32>at(job, JOB_UNIQUENESS)) < least * 100) return <u16>NONE;
  const bend = before + after - 2 * least;
  const part = !isLast && bend > 0 ? ((before - after) * (COARSE / 2)) / bend : 0;
  const sure = least < CHANCE * <i32>at(job, JOB_PATHS) ? PLANE_SURE : 0;
  return <u16>((<i32>at(job, JOB_FROM) + d) * COARSE + part + sure);
}

/** The place of the first of a pixel's sums that is `least`. */
function firstOf(sums: usize, least: u16): usize {
  const all = i16x8.splat(<i16>least);
  let place: usize = 0;
  let bits = 0;
  do {
    bits = i16x8.bitmask(i16x8.eq(v128.load(sums + place), all));
    place += 16;
  } while (bits === 0);
  return place - 16 + ((<usize>ctz(bits)) << 1);
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
    for (let i: usize = 0; i < 25; i++) {
      const value = v128.and(v128.load(own + (i / 5) * stride - 2 * stride + ((i % 5) << 1) - 4), nothing);
      v128.store(scratch + (i << 4), value);
      const isValid = i16x8.ne(value, nothing);
      valid = i16x8.sub(valid, isValid);
      least = i16x8.min_s(least, value);
      most = i16x8.max_s(most, v128.and(value, isValid));
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
