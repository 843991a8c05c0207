/**
 * The mean over time as shaders/temporal/mean.wgsl and stages/temporal/cpu.ts have it (there is the method), four pixels at a time.
 *
 * A row has `row` pixels, a multiple of 8; those past the frame's width are invalid. A frame takes two steps, and between them the tiles'
 * gains and offsets are computed (tiles.ts). The first step writes to `carried` the words of all pixels with a past, 0 for the others, and
 * the tiles' sums. The second makes the means. A thread's scratch memory has room for a value per tile of a row with one more on each side,
 * 16 bytes per tile, and a row of the records of warp.ts.
 * Tables (rule.ts): `scales` and `spans` by depth, `frames` by gain.
 */
import { at, endPart, scratchOf, takePart } from "../../core/assembly/parts.ts";
import {
  COUNT_BITS,
  FARTHEST,
  FRACTION_BITS,
  FRAMES_BITS,
  HELD,
  JOB_AFTER,
  JOB_BEFORE,
  JOB_CARRIED,
  JOB_FRAMES,
  JOB_GAINS,
  JOB_HEIGHT,
  JOB_LEAST_GAIN,
  JOB_MOTION,
  JOB_OFFSETS,
  JOB_ROW,
  JOB_ROWS,
  JOB_SCALES,
  JOB_SINK,
  JOB_SOURCE,
  JOB_SPANS,
  JOB_STEP,
  JOB_SUMS,
  JOB_WIDTH,
  JUMP,
  MARK_BITS,
  MEAN_SHIFT,
  MOST_MEAN,
  ONE,
  TILE,
  TWICE,
} from "../layout.ts";
import { warpRow } from "./warp.ts";

/** The first frame: each pixel's mean is its measured depth, which is shown as it is. */
export function begin(source: usize, after: usize, pixels: usize): void {
  for (let i: usize = 0; i < pixels; i += 4) {
    v128.store(after + (i << 2), begun(v128.load_ext<u16>(source + (i << 1)), i64x2.splat(0)));
  }
}

/** Takes `JOB_ROWS` rows of the job at a time until none is left; every thread on this memory runs this function. */
export function work(job: usize, thread: usize): void {
  for (let part = takePart(job); part >= 0; part = takePart(job)) {
    const rows = load<i32>(job, 4 * JOB_ROWS);
    const end = min<i32>((part + 1) * rows, load<i32>(job, 4 * JOB_HEIGHT));
    if (at(job, JOB_STEP) === 0) add(job, scratchOf(job, thread), part * rows, end);
    else follow(job, scratchOf(job, thread), part * rows, end);
    endPart(job);
  }
}

/** The first step. Nothing is carried anywhere if `motion` is 0; otherwise warp.ts says what it and `places` are. */
function add(job: usize, scratch: usize, first: i32, end: i32): void {
  const before = at(job, JOB_BEFORE);
  const scales = at(job, JOB_SCALES);
  const motion = at(job, JOB_MOTION);
  const row = at(job, JOB_ROW);
  const width = load<i32>(job, 4 * JOB_WIDTH);
  const height = load<i32>(job, 4 * JOB_HEIGHT);
  const tiles = row >> 3;
  const shown = scratch + ((tiles + 2) << 4);
  const places = shown + (row << 1);
  let depth = at(job, JOB_SOURCE) + ((first * row) << 1);
  let carried = at(job, JOB_CARRIED) + ((first * row) << 2);
  let seen = before + ((first * row) << 2);
  let sums = at(job, JOB_SUMS) + (((first / TILE) * tiles) << 2);
  memory.fill(scratch, 0, tiles << 4);
  for (let y = first; y < end; y++) {
    if (motion)
      warpRow(showing(depth, seen, shown, row), before, carried, scales, motion, places, row, y, width, height);
    mark(depth, motion ? carried : seen, carried, scratch, scales, row << 2);
    depth += row << 1;
    carried += row << 2;
    seen += row << 2;
    if ((y & (TILE - 1)) !== TILE - 1 && y !== end - 1) continue;
    for (let i: usize = 0; i < tiles; i++) {
      let sum = v128.load(scratch + (i << 4));
      sum = i32x4.add(sum, v128.shuffle<u32>(sum, sum, 2, 3, 0, 1));
      store<i32>(sums + (i << 2), i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1));
    }
    sums += tiles << 2;
    memory.fill(scratch, 0, tiles << 4);
  }
}

/** Writes to `shown` the depths of a row, with the depths shown before in place of invalid ones, and returns its address. */
function showing(depth: usize, seen: usize, shown: usize, row: usize): usize {
  for (let x: usize = 0; x < row << 1; x += 8) {
    const z = v128.load_ext<u16>(depth + x);
    const was = v128.load(seen + (x << 1));
    const last = i32x4.add(i32x4.shr_u(was, MEAN_SHIFT + FRACTION_BITS), v128.and(was, i32x4.splat(1)));
    const now = v128.bitselect(last, z, i32x4.eq(z, i64x2.splat(0)));
    v128.store_lane<u64>(shown + x, i16x8.narrow_i32x4_u(now, now), 0);
  }
  return shown;
}

/** Adds the marks of a row to `sums`, 16 bytes for each tile, and writes the words of the pixels that have one. */
function mark(depth: usize, before: usize, carried: usize, sums: usize, scales: usize, end: usize): void {
  let x: usize = 0;
  do {
    const first = markOf(depth, before + x, carried + x, scales);
    const second = markOf(depth + 8, before + x + 16, carried + x + 16, scales);
    v128.store(sums, i32x4.add(v128.load(sums), i32x4.add(first, second)));
    depth += 16;
    sums += 16;
    x += 32;
  } while (x < end);
}

function markOf(depth: usize, before: usize, carried: usize, scales: usize): v128 {
  const zero = i64x2.splat(0);
  const z = v128.load_ext<u16>(depth);
  const seen = v128.load(before);
  let scale = v128.load_zero<f32>(scales + ((<usize>load<u16>(depth)) << 2));
  scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 2)) << 2), scale, 1);
  scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 4)) << 2), scale, 2);
  scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 6)) << 2), scale, 3);
  const change = f32x4.mul(f32x4.convert_i32x4_s(differenceOf(z, i32x4.shr_u(seen, MEAN_SHIFT))), scale);
  // 0 for pixels that are invalid, have no past, or moved. Invalid pixels keep their past. A count of 0 means that there is no mean.
  const jump = f32x4.splat(<f32>JUMP);
  const isHole = i32x4.eq(z, zero);
  const goesOn = v128.andnot(f32x4.lt(f32x4.abs(change), jump), v128.or(isHole, i32x4.eq(seen, zero)));
  v128.store(carried, v128.and(seen, v128.or(goesOn, isHole)));
  // A whole number that is added to 1.5 · 2^23 stands in a float's low bits. Shifted, the float's high bits are 0x58000000; `rest` takes
  // them away and adds the mark's 1.
  const whole = f32x4.add(f32x4.trunc(change), f32x4.splat(12582912));
  const rest = i32x4.splat(1 - (0x4b400000 << MARK_BITS));
  return v128.and(i32x4.add(i32x4.shl(whole, MARK_BITS), rest), goesOn);
}

/** The second step: writes new means and the depths shown, which may replace the depths. `least` is twice the parameter. */
function follow(job: usize, scratch: usize, first: i32, end: i32): void {
  const least = load<f32>(job, 4 * JOB_LEAST_GAIN);
  const row = at(job, JOB_ROW);
  const tiles = row >> 3;
  const down = <i32>((load<i32>(job, 4 * JOB_HEIGHT) + TILE - 1) / TILE);
  const gains = at(job, JOB_GAINS);
  const offsets = at(job, JOB_OFFSETS);
  const spans = at(job, JOB_SPANS);
  const beside = (tiles + 2) << 2;
  const frames = at(job, JOB_FRAMES);
  let depth = at(job, JOB_SOURCE) + ((first * row) << 1);
  let carried = at(job, JOB_CARRIED) + ((first * row) << 2);
  let after = at(job, JOB_AFTER) + ((first * row) << 2);
  let sink = at(job, JOB_SINK) + ((first * row) << 1);
  for (let y = first; y < end; y++) {
    // The row's gains and offsets at the tiles' columns, from the two rows of tiles around it; the outermost once more beside them.
    const place = 2 * y + 1 - TILE;
    const top: usize = <usize>max<i32>(0, place >> 4) * tiles;
    const bottom: usize = <usize>min<i32>(down - 1, (place >> 4) + 1) * tiles;
    mixRows(gains, top, bottom, <f32>(place & 15), scratch, tiles);
    mixRows(offsets, top, bottom, <f32>(place & 15), scratch + beside, tiles);
    for (let i: usize = 0; i < tiles; i++) {
      const left = scratch + (i << 2);
      step(depth, carried, after, sink, left, beside, f32x4(7, 5, 3, 1), f32x4(9, 11, 13, 15), frames, spans, least);
      const own = f32x4(15, 13, 11, 9);
      const next = f32x4(1, 3, 5, 7);
      step(depth + 8, carried + 16, after + 16, sink + 8, left + 4, beside, own, next, frames, spans, least);
      depth += 16;
      carried += 32;
      after += 32;
      sink += 16;
    }
  }
}

/** Mixes the values of two rows of tiles: `share` sixteenths of the second row's. The result has its first and last value twice. */
function mixRows(values: usize, top: usize, bottom: usize, share: f32, to: usize, tiles: usize): void {
  for (let i: usize = 0; i < tiles; i++) {
    const mixed =
      (<f32>16 - share) * load<f32>(values + ((top + i) << 2)) + share * load<f32>(values + ((bottom + i) << 2));
    store<f32>(to + (i << 2), mixed, 4);
  }
  store<f32>(to, load<f32>(to, 4));
  store<f32>(to + (tiles << 2), load<f32>(to + (tiles << 2)), 4);
}

/** Mixes the values of two neighbouring tiles for four pixels. */
function mix(tile: usize, first: v128, second: v128): v128 {
  return f32x4.add(f32x4.mul(v128.load_splat<u32>(tile), first), f32x4.mul(v128.load_splat<u32>(tile, 4), second));
}

/**
 * Four pixels' means. The pixels lie between two tiles, whose gains are at `tile` and behind it and have the weights `first` and `second`;
 * the tiles' offsets lie `beside` bytes behind their gains.
 */
function step(
  depth: usize,
  carried: usize,
  after: usize,
  sink: usize,
  tile: usize,
  beside: usize,
  first: v128,
  second: v128,
  frames: usize,
  spans: usize,
  least: f32,
): void {
  const zero = i64x2.splat(0);
  const one = i32x4.splat(1);
  const z = v128.load_ext<u16>(depth);
  const seen = v128.load(carried);
  const isNew = i32x4.eq(seen, zero);
  const isHole = i32x4.eq(z, zero);
  let held = zero;
  let now = zero;
  if (v128.any_true(v128.andnot(isNew, isHole))) {
    let span = v128.load_zero<f32>(spans + ((<usize>load<u16>(depth)) << 2));
    span = v128.load_lane<f32>(spans + ((<usize>load<u16>(depth, 2)) << 2), span, 1);
    span = v128.load_lane<f32>(spans + ((<usize>load<u16>(depth, 4)) << 2), span, 2);
    span = v128.load_lane<f32>(spans + ((<usize>load<u16>(depth, 6)) << 2), span, 3);
    now = begun(z, i32x4.trunc_sat_f32x4_s(f32x4.floor(f32x4.mul(mix(tile + beside, first, second), span))));
    held = i32x4.add(i32x4.shr_u(now, MEAN_SHIFT + FRACTION_BITS), v128.and(now, one));
  }
  if (i32x4.bitmask(isNew) !== 15) {
    const mixed = mix(tile, first, second);
    const count = i32x4.add(i32x4.shr_u(i32x4.shl(seen, 31 - COUNT_BITS), 32 - COUNT_BITS), one);
    // An invalid pixel keeps its mean and counts no frame.
    let counted = i32x4.add(count, isHole);
    let forgotten = zero;
    if (v128.any_true(mixed)) {
      const pair = i32x4.shl(i32x4.shr_u(i32x4.trunc_sat_f32x4_s(mixed), FRAMES_BITS), 2);
      let most = v128.load_zero<u32>(frames + i32x4.extract_lane(pair, 0));
      most = v128.load_lane<u32>(frames + i32x4.extract_lane(pair, 1), most, 1);
      most = v128.load_lane<u32>(frames + i32x4.extract_lane(pair, 2), most, 2);
      most = v128.load_lane<u32>(frames + i32x4.extract_lane(pair, 3), most, 3);
      counted = i32x4.min_s(counted, most);
      forgotten = v128.and(isHole, i32x4.eq(most, one));
    } else counted = i32x4.min_s(counted, v128.load_splat<u32>(frames));
    const gain = f32x4.pmax(
      f32x4.mul(mixed, f32x4.splat(<f32>TWICE)),
      f32x4.pmax(f32x4.splat(least), f32x4.div(f32x4.splat(2), f32x4.convert_i32x4_s(count))),
    );
    const was = i32x4.shr_u(seen, MEAN_SHIFT);
    const difference = v128.andnot(differenceOf(z, was), isHole);
    const gained = f32x4.floor(f32x4.mul(f32x4.convert_i32x4_s(difference), gain));
    const mean = i32x4.add(was, i32x4.shr_s(i32x4.add(i32x4.trunc_sat_f32x4_s(gained), one), 1));
    // The depth shown is the whole number nearest to the mean, unless the last one shown is within HELD of it.
    const shown = i32x4.add(i32x4.shr_u(was, FRACTION_BITS), v128.and(seen, one));
    const far = i32x4.gt_s(i32x4.abs(i32x4.sub(mean, i32x4.shl(shown, FRACTION_BITS))), i32x4.splat(HELD));
    const nearest = i32x4.shr_u(i32x4.add(mean, i32x4.splat(ONE >> 1)), FRACTION_BITS);
    const near = v128.bitselect(nearest, shown, far);
    const next = v128.or(
      v128.or(i32x4.shl(mean, MEAN_SHIFT), i32x4.shl(counted, 1)),
      i32x4.sub(near, i32x4.shr_u(mean, FRACTION_BITS)),
    );
    now = v128.bitselect(now, v128.andnot(next, forgotten), isNew);
    held = v128.bitselect(held, v128.andnot(near, isHole), isNew);
  }
  v128.store(after, now);
  v128.store_lane<u64>(sink, i16x8.narrow_i32x4_u(held, held), 0);
}

/** The depth's difference from the mean, 1/512 of a unit. */
function differenceOf(depth: v128, mean: v128): v128 {
  const difference = i32x4.sub(i32x4.shl(depth, FRACTION_BITS), mean);
  return i32x4.max_s(i32x4.splat(-FARTHEST), i32x4.min_s(i32x4.splat(FARTHEST), difference));
}

/** The memory of pixels that begin, `offset` beside their depths. */
function begun(depth: v128, offset: v128): v128 {
  const mean = i32x4.min_s(i32x4.sub(i32x4.shl(depth, FRACTION_BITS), offset), i32x4.splat(MOST_MEAN));
  const up = v128.and(i32x4.shr_u(mean, FRACTION_BITS - 1), i32x4.splat(1));
  const seen = v128.or(v128.or(i32x4.shl(mean, MEAN_SHIFT), i32x4.splat(2)), up);
  return v128.andnot(seen, i32x4.eq(depth, i64x2.splat(0)));
}
