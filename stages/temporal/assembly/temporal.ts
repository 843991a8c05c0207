/**
 * The mean over time as shaders/temporal.wgsl and stages/temporal/cpu.ts have it (there is the method), four pixels at a time.
 *
 * A row has `row` pixels, a multiple of 8; those past the frame's width are invalid. Behind the words of `before` and `after` lie their
 * trends, half a word each. Marks are kept as running sums: each mark is added to those left of it in its row, so that the sum of
 * nine side by side is one difference. `marks` has room for the 16 rows in use, each behind four words of zeros; `columns`, the sum of
 * nine such rows, has eight words before it and four behind. Sums may overflow, their differences do not. If the camera moved, `warped`
 * gets the 16 rows in use of the memory that was carried into the new view, and behind them their trends. These three, and `places`
 * (warp.ts), are a desk: a thread's own memory.
 * Tables (rule.ts): `scales` by depth, `weights` by the pixels of an area, `answers` by the area's change, two each.
 */
import { at, deskOf, endPart, takePart } from "../../core/assembly/parts.ts";
import {
  COUNT_BITS,
  FADE_BITS,
  FARTHEST,
  FRACTION_BITS,
  HELD,
  JOB_AFTER,
  JOB_ANSWERS,
  JOB_BEFORE,
  JOB_HEIGHT,
  JOB_LEAST_GAIN,
  JOB_MOTION,
  JOB_ROW,
  JOB_ROWS,
  JOB_SCALES,
  JOB_SINK,
  JOB_SOURCE,
  JOB_WEIGHTS,
  JOB_WIDTH,
  JUMP,
  KEPT,
  MARK_BITS,
  MEAN_SHIFT,
  ONE,
  REACH,
} from "../layout.ts";
import { warpRow } from "./warp.ts";

/** The first frame: each pixel's mean is its measured depth. */
export function begin(source: usize, after: usize, sink: usize, pixels: usize): void {
  memory.copy(sink, source, pixels << 1);
  memory.fill(after + (pixels << 2), 0, pixels << 1);
  for (let i: usize = 0; i < pixels; i += 4) {
    v128.store(after + (i << 2), firstSeen(v128.load_ext<u16>(source + (i << 1))));
  }
}

/** Takes `JOB_ROWS` rows of the job at a time until none is left; every thread on this memory runs this function. */
export function work(job: usize, thread: usize): void {
  for (let part = takePart(job); part >= 0; part = takePart(job)) {
    follow(job, deskOf(job, thread), part);
    endPart(job);
  }
}

/** Nothing is carried anywhere if `motion` is 0; otherwise warp.ts says what that and `places` are. */
function follow(job: usize, desk: usize, part: i32): void {
  const source = at(job, JOB_SOURCE);
  const before = at(job, JOB_BEFORE);
  const after = at(job, JOB_AFTER);
  const sink = at(job, JOB_SINK);
  const scales = at(job, JOB_SCALES);
  const weights = at(job, JOB_WEIGHTS);
  const answers = at(job, JOB_ANSWERS);
  const motion = at(job, JOB_MOTION);
  const leastGain = load<f32>(job, 4 * JOB_LEAST_GAIN);
  const row = at(job, JOB_ROW);
  const width = load<i32>(job, 4 * JOB_WIDTH);
  const height = load<i32>(job, 4 * JOB_HEIGHT);
  const rows = load<i32>(job, 4 * JOB_ROWS);
  const first = part * rows;
  const end = min<i32>(first + rows, height);
  const words = row << 2;
  const halves = row << 1;
  const pitch = words + 16;
  const marks = desk;
  const columns = marks + KEPT * pitch;
  const warped = columns + words + 48;
  const places = warped + KEPT * (words + halves);
  const from = motion ? warped : before;
  const last = motion ? KEPT - 1 : -1;
  const trendFrom = from + words * (motion ? KEPT : height);
  const trendAfter = after + words * height;
  memory.fill(marks, 0, warped - marks);
  // Marks are made `REACH` rows ahead of the row that is written, and kept until they are `REACH` rows behind it. Rows past the frame have
  // none.
  for (let y = max<i32>(first - REACH, 0) - REACH; y < end; y++) {
    const ahead = y + REACH;
    const slot = marks + (ahead & (KEPT - 1)) * pitch;
    const old = marks + ((y - REACH - 1) & (KEPT - 1)) * pitch;
    if (ahead < height) {
      const depth = source + ahead * halves;
      const seen = from + (ahead & last) * words;
      const trend = trendFrom + (ahead & last) * halves;
      if (motion) warpRow(depth, before, seen, trend, scales, motion, places, row, ahead, width, height);
      add(depth, seen, slot, old, columns, scales, words);
    } else remove(old, columns, words);
    if (y < first) continue;
    step(
      source + y * halves,
      from + (y & last) * words,
      trendFrom + (y & last) * halves,
      marks + (y & (KEPT - 1)) * pitch,
      columns,
      after + y * words,
      trendAfter + y * halves,
      sink + y * halves,
      weights,
      answers,
      leastGain,
      words,
    );
  }
}

/** Makes the marks of a row and adds them to the columns, which lose those of the row `old`. */
function add(depth: usize, before: usize, marks: usize, old: usize, columns: usize, scales: usize, end: usize): void {
  const zero = i64x2.splat(0);
  const jump = f32x4.splat(<f32>JUMP);
  // A whole number that is added to 1.5 · 2^23 stands in a float's low bits. The float's high bits add 0xa0000000 to a mark; `rest`
  // subtracts that and adds the mark's 1.
  const whole = f32x4.splat(12582912);
  const rest = i32x4.splat(0x60000001);
  let left = zero;
  let x: usize = 0;
  do {
    const z = v128.load_ext<u16>(depth);
    const seen = v128.load(before + x);
    let scale = v128.load_zero<f32>(scales + ((<usize>load<u16>(depth)) << 2));
    scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 2)) << 2), scale, 1);
    scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 4)) << 2), scale, 2);
    scale = v128.load_lane<f32>(scales + ((<usize>load<u16>(depth, 6)) << 2), scale, 3);
    const change = f32x4.mul(f32x4.convert_i32x4_s(differenceOf(z, i32x4.shr_u(seen, MEAN_SHIFT))), scale);
    // 0 for pixels without a past: invalid now or before, or moved. A count of 0 means that there is no mean.
    const goesOn = v128.andnot(f32x4.lt(f32x4.abs(change), jump), v128.or(i32x4.eq(z, zero), i32x4.eq(seen, zero)));
    let mark = i32x4.add(i32x4.shl(f32x4.add(f32x4.trunc(change), whole), MARK_BITS), rest);
    mark = v128.and(mark, goesOn);
    // Prefix sum over the four lanes, then plus the row's sum so far.
    mark = i32x4.add(mark, v128.shuffle<u32>(zero, mark, 3, 4, 5, 6));
    mark = i32x4.add(mark, v128.shuffle<u32>(zero, mark, 2, 3, 4, 5));
    mark = i32x4.add(mark, left);
    left = v128.shuffle<u32>(mark, mark, 3, 3, 3, 3);
    v128.store(marks + x, mark, 16);
    const gone = v128.load(old + x, 16);
    v128.store(columns, i32x4.add(v128.load(columns, 32), i32x4.sub(mark, gone)), 32);
    depth += 8;
    columns += 16;
    x += 16;
  } while (x < end);
  v128.store(columns, v128.load_splat<u32>(columns, 28), 32);
}

/** Subtracts the marks of a row from the columns. */
function remove(old: usize, columns: usize, end: usize): void {
  for (let x: usize = 0; x < end; x += 16) {
    v128.store(columns, i32x4.sub(v128.load(columns, 32), v128.load(old + x, 16)), 32);
    columns += 16;
  }
  v128.store(columns, v128.load_splat<u32>(columns, 28), 32);
}

/** Writes a row's new means and trends, and the depths shown. `leastGain` is twice the parameter. */
function step(
  depth: usize,
  before: usize,
  trendBefore: usize,
  marks: usize,
  columns: usize,
  after: usize,
  trendAfter: usize,
  sink: usize,
  weights: usize,
  answers: usize,
  leastGain: f32,
  end: usize,
): void {
  const zero = i64x2.splat(0);
  const one = i32x4.splat(1);
  const whole = f32x4.splat(12582912);
  let x: usize = 0;
  do {
    const half = x >> 1;
    const z = v128.load_ext<u16>(depth + half);
    let held = z;
    let now = firstSeen(z);
    let trend = zero;
    const at = marks + x;
    const unmarked = i32x4.eq(i32x4.sub(v128.load(at, 16), v128.load(at, 12)), zero);
    if (i32x4.bitmask(unmarked) !== 15) {
      // The sum over the nine columns around each pixel.
      const total = i32x4.sub(v128.load(columns, 48), v128.load(columns, 12));
      const pixels = i32x4.shr_u(i32x4.shl(total, 32 - MARK_BITS), 30 - MARK_BITS);
      let weight = v128.load_zero<f32>(weights + i32x4.extract_lane(pixels, 0));
      weight = v128.load_lane<f32>(weights + i32x4.extract_lane(pixels, 1), weight, 1);
      weight = v128.load_lane<f32>(weights + i32x4.extract_lane(pixels, 2), weight, 2);
      weight = v128.load_lane<f32>(weights + i32x4.extract_lane(pixels, 3), weight, 3);
      // The change is less than JUMP, as each of its marks is, so it fits into a float's low bits.
      const sum = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(total, MARK_BITS)), weight);
      const change = i32x4.sub(f32x4.add(f32x4.trunc(sum), whole), whole);
      trend = v128.load_ext<i16>(trendBefore + half);
      trend = i32x4.add(i32x4.sub(trend, i32x4.shr_s(trend, FADE_BITS)), change);
      // Answers are pairs: twice the gain, and the most frames that remain in the mean.
      const felt = i32x4.min_s(i32x4.splat(JUMP), i32x4.max_s(i32x4.abs(change), i32x4.abs(trend)));
      const pair = i32x4.shl(felt, 3);
      let low = v128.load_zero<u64>(answers + i32x4.extract_lane(pair, 0));
      low = v128.load_lane<u64>(answers + i32x4.extract_lane(pair, 1), low, 1);
      let high = v128.load_zero<u64>(answers + i32x4.extract_lane(pair, 2));
      high = v128.load_lane<u64>(answers + i32x4.extract_lane(pair, 3), high, 1);
      const most = v128.shuffle<u32>(low, high, 1, 3, 5, 7);
      const seen = v128.load(before + x);
      const count = i32x4.add(i32x4.shr_u(i32x4.shl(seen, 31 - COUNT_BITS), 32 - COUNT_BITS), one);
      const gain = f32x4.pmax(
        v128.shuffle<u32>(low, high, 0, 2, 4, 6),
        f32x4.pmax(f32x4.splat(leastGain), f32x4.div(f32x4.splat(2), f32x4.convert_i32x4_s(count))),
      );
      const was = i32x4.shr_u(seen, MEAN_SHIFT);
      const gained = f32x4.floor(f32x4.mul(f32x4.convert_i32x4_s(differenceOf(z, was)), gain));
      const mean = i32x4.add(was, i32x4.shr_s(i32x4.add(i32x4.trunc_sat_f32x4_s(gained), one), 1));
      // The depth shown is the whole number nearest to the mean, unless the last one shown is within HELD of it.
      const shown = i32x4.add(i32x4.shr_u(was, FRACTION_BITS), v128.and(seen, one));
      const far = i32x4.gt_s(i32x4.abs(i32x4.sub(mean, i32x4.shl(shown, FRACTION_BITS))), i32x4.splat(HELD));
      const nearest = i32x4.shr_u(i32x4.add(mean, i32x4.splat(ONE >> 1)), FRACTION_BITS);
      held = v128.bitselect(nearest, shown, far);
      const next = v128.or(
        v128.or(i32x4.shl(mean, MEAN_SHIFT), i32x4.shl(i32x4.min_s(count, most), 1)),
        i32x4.sub(held, i32x4.shr_u(mean, FRACTION_BITS)),
      );
      now = v128.bitselect(now, next, unmarked);
      held = v128.bitselect(z, held, unmarked);
      trend = v128.andnot(trend, unmarked);
    }
    v128.store(after + x, now);
    v128.store_lane<u64>(trendAfter + half, i16x8.narrow_i32x4_s(trend, trend), 0);
    v128.store_lane<u64>(sink + half, i16x8.narrow_i32x4_u(held, held), 0);
    columns += 16;
    x += 16;
  } while (x < end);
}

/** The depth's difference from the mean, 1/512 of a unit. */
function differenceOf(depth: v128, mean: v128): v128 {
  const difference = i32x4.sub(i32x4.shl(depth, FRACTION_BITS), mean);
  return i32x4.max_s(i32x4.splat(-FARTHEST), i32x4.min_s(i32x4.splat(FARTHEST), difference));
}

function firstSeen(depth: v128): v128 {
  const seen = v128.or(i32x4.shl(depth, FRACTION_BITS + MEAN_SHIFT), i32x4.splat(2));
  return v128.andnot(seen, i32x4.eq(depth, i64x2.splat(0)));
}
