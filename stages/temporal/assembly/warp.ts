/**
 * The memory in another view of the camera, as shaders/temporal/warp.wgsl and stages/temporal/warp.ts have it, four pixels at a time.
 *
 * Each row takes three loops, which hand on a record for each four pixels. One loop would mostly wait for results: four pixels take more
 * instructions than a processor looks ahead. Depth is in the unit of the means here, 1/512 of the twin's: a power of two, so the bits are
 * the twin's.
 */
import { abs, add, all, less, more, mul, reciprocal, sub } from "../../core/assembly/vectors.ts";
import {
  FRACTION_BITS,
  JUMP,
  LEAST_ALONG,
  LEAST_SHARE,
  MEAN_SHIFT,
  MOST,
  MOST_MOVED,
  NEAREST,
  ONE,
  PLACE_BYTES,
} from "../layout.ts";

/** Means below this depth fit into their word. */
const TOO_FAR: f32 = 33553920;

// Byte offsets in a record: addresses of the first neighbours; weights of the neighbours' columns and rows, later the sums; the expected
// depth; `along` of the twin; and the expected depth's inverse.
const AT: usize = 0;
const LEFT: usize = 16;
const RIGHT: usize = 32;
const TOP: usize = 48;
const BOTTOM: usize = 64;
const SHARE: usize = 16;
const COUNTS: usize = 32;
const SUM: usize = 48;
const SQUARES: usize = 64;
const EXPECTED: usize = 80;
const ALONG: usize = 96;
const INVERSE: usize = 112;

/**
 * Writes the carried words of one row of pixels, whose depths are at `depth`, to `warped`. `before` has rows of `row` words, a multiple of
 * 8; `depth` is 0 past the frame's width. `motion` holds f32: the rows of the motion from
 * the new camera to the one before, its shifts in units of depth; then fx, fy, cx, cy, 1/fx and 1/fy. `scales` is by depth (rule.ts).
 * `places` has room for a row of records.
 */
export function warpRow(
  depth: usize,
  before: usize,
  warped: usize,
  scales: usize,
  motion: usize,
  places: usize,
  row: usize,
  y: i32,
  width: i32,
  height: i32,
): void {
  project(depth, before, motion, places, row, y, width, height);
  gather(depth, scales, places, row);
  settle(depth, warped, places, row);
}

/** Projects the points of a row into the frame before, and writes the records. */
function project(
  depth: usize,
  before: usize,
  motion: usize,
  place: usize,
  row: usize,
  y: i32,
  width: i32,
  height: i32,
): void {
  const zero = i64x2.splat(0);
  const r00 = v128.load_splat<u32>(motion);
  const tx = v128.load_splat<u32>(motion, 12);
  const r10 = v128.load_splat<u32>(motion, 16);
  const ty = v128.load_splat<u32>(motion, 28);
  const r20 = v128.load_splat<u32>(motion, 32);
  const tz = v128.load_splat<u32>(motion, 44);
  const fx = v128.load_splat<u32>(motion, 48);
  const fy = v128.load_splat<u32>(motion, 52);
  const cx = v128.load_splat<u32>(motion, 56);
  const cy = v128.load_splat<u32>(motion, 60);
  const ifx = v128.load_splat<u32>(motion, 64);
  const v = mul(sub(f32x4.splat(<f32>y), cy), v128.load_splat<u32>(motion, 68));
  const dx0 = add(mul(v128.load_splat<u32>(motion, 4), v), v128.load_splat<u32>(motion, 8));
  const dy0 = add(mul(v128.load_splat<u32>(motion, 20), v), v128.load_splat<u32>(motion, 24));
  const dz0 = add(mul(v128.load_splat<u32>(motion, 36), v), v128.load_splat<u32>(motion, 40));
  const columns = f32x4.splat(<f32>width);
  const rows = f32x4.splat(<f32>height);
  const end = depth + (row << 1);
  let x = f32x4(0, 1, 2, 3);
  do {
    const own = v128.load_ext<u16>(depth);
    if (v128.any_true(own)) {
      const z = f32x4.convert_i32x4_s(own);
      const u = mul(sub(x, cx), ifx);
      const along = add(mul(r20, u), dz0);
      const qz = add(mul(along, z), tz);
      const inverse = reciprocal(qz);
      const qx = add(mul(add(mul(r00, u), dx0), z), tx);
      const qy = add(mul(add(mul(r10, u), dy0), z), ty);
      const px = add(mul(mul(qx, inverse), fx), cx);
      const py = add(mul(mul(qy, inverse), fy), cy);
      let valid = v128.and(i32x4.gt_s(own, zero), f32x4.gt(qz, all(NEAREST)));
      valid = v128.and(valid, v128.and(f32x4.gt(px, all(-1)), f32x4.gt(py, all(-1))));
      valid = v128.and(valid, v128.and(f32x4.lt(px, columns), f32x4.lt(py, rows)));
      const left = f32x4.floor(px);
      const top = f32x4.floor(py);
      const fu = sub(px, left);
      const fv = sub(py, top);
      const first = v128.and(i32x4.add(i32x4.mul(wholeOf(top), i32x4.splat(<i32>row)), wholeOf(left)), valid);
      v128.store(place, i32x4.add(i32x4.splat(<i32>before), i32x4.shl(first, 2)), AT);
      // Neighbours outside the frame have weight 0.
      v128.store(place, v128.and(sub(all(1), fu), v128.and(valid, f32x4.ge(left, zero))), LEFT);
      v128.store(place, v128.and(fu, v128.and(valid, f32x4.lt(add(left, all(1)), columns))), RIGHT);
      v128.store(place, v128.and(sub(all(1), fv), f32x4.ge(top, zero)), TOP);
      v128.store(place, v128.and(fv, f32x4.lt(add(top, all(1)), rows)), BOTTOM);
      v128.store(place, mul(qz, all(ONE)), EXPECTED);
      v128.store(place, along, ALONG);
      v128.store(place, mul(inverse, all(1 / <f32>ONE)), INVERSE);
    }
    x = add(x, all(4));
    place += PLACE_BYTES;
    depth += 8;
  } while (depth < end);
}

/** Sums over those of the four neighbours that lie on the pixel's surface. */
function gather(depth: usize, scales: usize, place: usize, row: usize): void {
  const words = row << 2;
  const end = depth + (row << 1);
  do {
    if (load<u64>(depth) !== 0) {
      let scale = v128.load_zero<f32>(scales + ((<usize>load<u16>(depth)) << 2));
      scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 2)) << 2), scale, 1);
      scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 4)) << 2), scale, 2);
      scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 6)) << 2), scale, 3);
      // The left and the right neighbour lie side by side: one load for both.
      const at0: usize = load<u32>(place, AT);
      const at1: usize = load<u32>(place, AT + 4);
      const at2: usize = load<u32>(place, AT + 8);
      const at3: usize = load<u32>(place, AT + 12);
      const above0 = pair(at0, at1);
      const above1 = pair(at2, at3);
      const below0 = pair(at0 + words, at1 + words);
      const below1 = pair(at2 + words, at3 + words);
      const word0 = v128.shuffle<u32>(above0, above1, 0, 2, 4, 6);
      const word1 = v128.shuffle<u32>(above0, above1, 1, 3, 5, 7);
      const word2 = v128.shuffle<u32>(below0, below1, 0, 2, 4, 6);
      const word3 = v128.shuffle<u32>(below0, below1, 1, 3, 5, 7);
      const expected = v128.load(place, EXPECTED);
      const away0 = sub(meanOf(word0), expected);
      const away1 = sub(meanOf(word1), expected);
      const away2 = sub(meanOf(word2), expected);
      const away3 = sub(meanOf(word3), expected);
      const weight0 = v128.and(mul(v128.load(place, LEFT), v128.load(place, TOP)), isNear(word0, away0, scale));
      const weight1 = v128.and(mul(v128.load(place, RIGHT), v128.load(place, TOP)), isNear(word1, away1, scale));
      const weight2 = v128.and(mul(v128.load(place, LEFT), v128.load(place, BOTTOM)), isNear(word2, away2, scale));
      const weight3 = v128.and(mul(v128.load(place, RIGHT), v128.load(place, BOTTOM)), isNear(word3, away3, scale));
      const counts0 = add(mul(weight0, countOf(word0)), mul(weight1, countOf(word1)));
      const counts1 = add(counts0, mul(weight2, countOf(word2)));
      const sum0 = mul(weight0, away0);
      const sum1 = mul(weight1, away1);
      const sum2 = mul(weight2, away2);
      const sum3 = mul(weight3, away3);
      v128.store(place, add(add(add(weight0, weight1), weight2), weight3), SHARE);
      v128.store(place, add(counts1, mul(weight3, countOf(word3))), COUNTS);
      v128.store(place, add(add(add(sum0, sum1), sum2), sum3), SUM);
      const squares = add(add(mul(sum0, away0), mul(sum1, away1)), mul(sum2, away2));
      v128.store(place, add(squares, mul(sum3, away3)), SQUARES);
    }
    place += PLACE_BYTES;
    depth += 8;
  } while (depth < end);
}

/** Writes the words. */
function settle(depth: usize, warped: usize, place: usize, row: usize): void {
  const zero = i64x2.splat(0);
  const end = depth + (row << 1);
  do {
    const z = v128.load_ext<u16>(depth);
    let seen = zero;
    if (v128.any_true(z)) {
      const share = v128.load(place, SHARE);
      const perShare = reciprocal(share);
      const first = mul(v128.load(place, SUM), perShare);
      const variance = sub(mul(v128.load(place, SQUARES), perShare), mul(first, first));
      const beyond = sub(first, mul(variance, v128.load(place, INVERSE)));
      const own = f32x4.convert_i32x4_s(i32x4.shl(z, FRACTION_BITS));
      const there = add(own, mul(beyond, reciprocal(more(all(LEAST_ALONG), v128.load(place, ALONG)))));
      const rounded = f32x4.floor(add(there, all(0.5)));
      const inRange = v128.and(f32x4.gt(rounded, zero), f32x4.lt(rounded, f32x4.splat(TOO_FAR)));
      const known = v128.and(f32x4.gt(share, all(LEAST_SHARE)), inRange);
      const mean = i32x4.trunc_sat_f32x4_s(rounded);
      const counts = f32x4.floor(add(mul(v128.load(place, COUNTS), perShare), all(0.5)));
      const count = wholeOf(less(all(MOST_MOVED), more(all(1), counts)));
      const up = v128.and(i32x4.shr_u(mean, FRACTION_BITS - 1), i32x4.splat(1));
      seen = v128.or(v128.or(i32x4.shl(mean, MEAN_SHIFT), i32x4.shl(count, 1)), up);
      seen = v128.and(seen, known);
    }
    v128.store(warped, seen);
    place += PLACE_BYTES;
    depth += 8;
    warped += 16;
  } while (depth < end);
}

function pair(a: usize, b: usize): v128 {
  return v128.load_lane<u64>(b, v128.load_zero<u64>(a), 1);
}

/** Rounds floats below 2^22 to whole numbers. */
function wholeOf(a: v128): v128 {
  // A whole number that is added to 1.5 · 2^23 stands in a float's low bits.
  return i32x4.sub(add(a, all(12582912)), i32x4.splat(0x4b400000));
}

function meanOf(word: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.shr_u(word, MEAN_SHIFT));
}

function countOf(word: v128): v128 {
  return f32x4.convert_i32x4_s(v128.and(i32x4.shr_u(word, 1), i32x4.splat(MOST)));
}

/** Whether a mean is remembered, and is `away` from the expected depth by less than a jump. */
function isNear(word: v128, away: v128, scale: v128): v128 {
  return v128.andnot(f32x4.lt(mul(abs(away), scale), all(JUMP)), i32x4.eq(word, i64x2.splat(0)));
}
