/**
 * Flying pixels and islands as shaders/despeckle.wgsl and stages/despeckle/cpu.ts find them (there is the method), eight pixels at a time.
 *
 * Rows lie `pitch` bytes apart: `row` bytes of pixels, then at least 16 bytes of zeros. Four rows of zeros stand before the first row and
 * after the last. `offsets` has four i32: how far the second pixel of each pair is, in bytes; the first is as far the other way.
 * Sums and differences of u16 saturate at 65535 and at 0. No comparison notices, since no depth lies beyond these.
 */
import { CORNER, DEPTH, KEPT_BITS, MIDDLE, REMOVED, REMOVED_BITS, WAITS } from "../layout.ts";

/**
 * `snap` is 1 where a flying pixel goes to its nearest surface, 0 where it becomes invalid. `before` and `after` have what is remembered of
 * each pixel, laid out as `sink`; `before` counts if `continues` is 1.
 */
export function despeckle(
  source: usize,
  sink: usize,
  before: usize,
  after: usize,
  continues: i32,
  offsets: usize,
  pitch: usize,
  row: usize,
  height: i32,
  least: f32,
  share: f32,
  noise: f32,
  island: i32,
  snap: i32,
): void {
  const to0: usize = load<i32>(offsets);
  const to1: usize = load<i32>(offsets, 4);
  const to2: usize = load<i32>(offsets, 8);
  const to3: usize = load<i32>(offsets, 12);
  const zero = i64x2.splat(0);
  const one = i16x8.splat(1);
  const leasts = f32x4.splat(least);
  const shares = f32x4.splat(share);
  const noises = f32x4.splat(noise);
  // A pixel needs this many pixels of its own surface beside it.
  const lone = i16x8.splat(<i16>(island - 1));
  const islands = i16x8.splat(<i16>island);
  const snaps = i16x8.splat(<i16>-snap);
  const counts = i16x8.splat(<i16>-continues);
  const removed = i16x8.splat(<i16>REMOVED);
  const waiting = i16x8.splat(<i16>WAITS);
  for (let y = 0; y < height; y++) {
    let x: usize = 0;
    do {
      const at = source + x;
      const z = v128.load(at);
      const plain = i16x8.narrow_i32x4_u(
        stepAt(i32x4.extend_low_i16x8_u(z), leasts, shares, noises),
        stepAt(i32x4.extend_high_i16x8_u(z), leasts, shares, noises),
      );
      const was = v128.and(counts, v128.load(before + x));
      const wasGone = i16x8.ne(v128.and(was, removed), zero);
      const step = held(plain, z, was, wasGone);
      // Every range begins at 1 or more, so no invalid pixel is in one.
      const low = i16x8.max_u(i16x8.sub_sat_u(z, step), one);
      const high = i16x8.add_sat_u(z, step);
      // Few pixels lie between their two neighbours on a line, so only these pixels are tested for the other conditions.
      let doubtful = between(at, to0, low, high);
      doubtful = v128.or(doubtful, between(at, to1, low, high));
      doubtful = v128.or(doubtful, between(at, to2, low, high));
      doubtful = v128.or(doubtful, between(at, to3, low, high));
      // Most pixels have enough similar ones among the four nearest; each comparison gives −1 for true.
      let missing = i16x8.add(lone, isAlike(v128.load(at - 2), low, high));
      missing = i16x8.add(missing, isAlike(v128.load(at, 2), low, high));
      missing = i16x8.add(missing, isAlike(v128.load(at - pitch), low, high));
      missing = i16x8.add(missing, isAlike(v128.load(at + pitch), low, high));
      doubtful = v128.andnot(v128.or(doubtful, i16x8.gt_s(missing, zero)), i16x8.eq(z, zero));
      let left = z;
      if (v128.any_true(doubtful)) left = cleaned(at, pitch, offsets, z, step, islands, snaps);
      let gone = i16x8.ne(left, z);
      let waits = v128.andnot(v128.xor(gone, wasGone), i16x8.ne(v128.and(was, waiting), zero));
      if (v128.any_true(waits)) {
        waits = v128.and(waits, isAt(was, z, i16x8.sub(plain, i16x8.shr_u(plain, REMOVED_BITS))));
        left = v128.bitselect(v128.andnot(z, v128.andnot(wasGone, snaps)), left, waits);
        gone = v128.xor(gone, waits);
      }
      v128.store(sink + x, left);
      const flags = v128.or(v128.and(gone, removed), v128.and(waits, waiting));
      v128.store(after + x, v128.andnot(v128.or(v128.and(z, i16x8.splat(<i16>DEPTH)), flags), i16x8.eq(z, zero)));
      x += 16;
    } while (x < row);
    source += pitch;
    sink += row;
    before += row;
    after += row;
  }
}

/** The step that parts two surfaces at four depths. A whole number that is added to 2^23 stands in a float's low bits. */
function stepAt(depth: v128, leasts: v128, shares: v128, noises: v128): v128 {
  const whole = f32x4.splat(8388608);
  const z = f32x4.convert_i32x4_s(depth);
  const step = f32x4.pmax(f32x4.pmax(leasts, f32x4.mul(shares, z)), f32x4.mul(noises, f32x4.mul(z, z)));
  return v128.xor(whole, f32x4.add(whole, f32x4.floor(f32x4.pmin(f32x4.splat(65535), step))));
}

/** The steps by which pixels of depth z are judged, given how they were judged in the frame before (see stages/despeckle/cpu.ts). */
function held(step: v128, z: v128, was: v128, wasGone: v128): v128 {
  const part = i16x8.shr_u(step, KEPT_BITS);
  const kept = v128.bitselect(i16x8.add_sat_u(step, part), step, isAt(was, z, part));
  return v128.bitselect(i16x8.sub(step, i16x8.shr_u(step, REMOVED_BITS)), kept, wasGone);
}

/** −1 where a pixel of depth z was as deep before, give or take `reach`. */
function isAt(was: v128, z: v128, reach: v128): v128 {
  const depth = v128.and(was, i16x8.splat(<i16>DEPTH));
  const low = i16x8.sub_sat_u(z, reach);
  const isNear = isAlike(i16x8.add(depth, i16x8.splat(<i16>MIDDLE)), low, i16x8.add_sat_u(z, reach));
  return v128.andnot(isNear, i16x8.eq(depth, i64x2.splat(0)));
}

/** Not 0 where the two of a pair lie more than a step from the pixel at `at`, on opposite sides of it. */
function between(at: usize, to: usize, low: v128, high: v128): v128 {
  const a = v128.load(at - to);
  const b = v128.load(at + to);
  return i16x8.min_u(i16x8.sub_sat_u(low, i16x8.min_u(a, b)), i16x8.sub_sat_u(i16x8.max_u(a, b), high));
}

/** −1 where `a` is from `low` to `high`. */
function isAlike(a: v128, low: v128, high: v128): v128 {
  return i16x8.eq(a, i16x8.min_u(high, i16x8.max_u(low, a)));
}

/** The result for eight pixels at `at`: each unchanged, moved to its nearest surface, or invalid. `snaps` is all ones or all zeros. */
function cleaned(at: usize, pitch: usize, offsets: usize, z: v128, step: v128, islands: v128, snaps: v128): v128 {
  const zero = i64x2.splat(0);
  const surface = surfaceBeside(at, offsets, z, step);
  // How many of 5 × 5 pixels lie within a step, and how many within half a step.
  const one = i16x8.splat(1);
  const half = i16x8.shr_u(step, 1);
  const nearLow = i16x8.max_u(i16x8.sub_sat_u(z, half), one);
  const nearHigh = i16x8.add_sat_u(z, half);
  const low = i16x8.max_u(i16x8.sub_sat_u(z, step), one);
  const high = i16x8.add_sat_u(z, step);
  let alike = zero;
  let near = zero;
  const end = at - 2 * pitch - 4 + 5 * pitch;
  for (let line = at - 2 * pitch - 4; line < end; line += pitch) {
    for (let x: usize = 0; x < 10; x += 2) {
      const a = v128.load(line + x);
      alike = i16x8.sub(alike, isAlike(a, low, high));
      near = i16x8.sub(near, isAlike(a, nearLow, nearHigh));
    }
  }
  const hangs = v128.and(i16x8.ne(surface, zero), i16x8.lt_u(near, i16x8.splat(<i16>CORNER)));
  const kept = v128.and(z, i16x8.ge_u(alike, islands));
  return v128.andnot(v128.bitselect(v128.and(surface, snaps), kept, hangs), i16x8.eq(z, zero));
}

/**
 * For each of eight pixels, of the surfaces between which it hangs, the one that is nearest in depth (of two that are equally near, the one
 * nearer to the camera); 0 if it hangs between none.
 */
function surfaceBeside(at: usize, offsets: usize, z: v128, step: v128): v128 {
  const zero = i64x2.splat(0);
  let best = zero;
  let bestOff = i16x8.splat(-1);
  for (let i: usize = 0; i < 16; i += 4) {
    const to: usize = load<i32>(offsets + i);
    const a = v128.load(at - to);
    const b = v128.load(at + to);
    const low = i16x8.min_u(a, b);
    const high = i16x8.max_u(a, b);
    const below = i16x8.sub_sat_u(z, low);
    const above = i16x8.sub_sat_u(high, z);
    const off = i16x8.min_u(below, above);
    let hangs = v128.and(i16x8.ne(low, zero), i16x8.gt_u(off, step));
    if (!v128.any_true(hangs)) continue;
    const a2 = v128.load(at - (to << 1));
    const b2 = v128.load(at + (to << 1));
    const noA = i16x8.eq(a2, zero);
    const noB = i16x8.eq(b2, zero);
    // The change of depth beside the pair. If one side is invalid, the other counts twice.
    const onA = v128.andnot(distance(a, a2), noA);
    const onB = v128.andnot(distance(b, b2), noB);
    const beside = i16x8.add_sat_u(v128.bitselect(onB, onA, noA), v128.bitselect(onA, onB, noB));
    const gap = i16x8.sub(high, low);
    hangs = v128.andnot(hangs, v128.and(noA, noB));
    hangs = v128.and(hangs, i16x8.gt_u(gap, i16x8.add_sat_u(beside, beside)));
    hangs = v128.and(hangs, i16x8.gt_u(gap, i16x8.add_sat_u(step, i16x8.add_sat_u(step, step))));
    const surface = v128.bitselect(high, low, i16x8.lt_u(above, below));
    const nearer = v128.and(i16x8.eq(off, bestOff), i16x8.lt_u(surface, best));
    hangs = v128.and(hangs, v128.or(i16x8.lt_u(off, bestOff), nearer));
    best = v128.bitselect(surface, best, hangs);
    bestOff = v128.bitselect(off, bestOff, hangs);
  }
  return best;
}

function distance(a: v128, b: v128): v128 {
  return v128.or(i16x8.sub_sat_u(a, b), i16x8.sub_sat_u(b, a));
}
