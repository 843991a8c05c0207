/** Depth as stages/stereo/refine.ts has it. A sum along an arm is the difference of two of the sums from a row's beginning on. */
import { at } from "../../core/assembly/parts.ts";
import {
  ARM,
  BACK,
  COARSE,
  FEWEST,
  HIDDEN,
  JOB_ARMS,
  JOB_CONTRASTS,
  JOB_DEPTH,
  JOB_GATHERED,
  JOB_HEIGHT,
  JOB_MEDIANS,
  JOB_ROW,
  JOB_SCALE,
  JOB_SHIFT,
  JOB_WIDTH,
  LONGEST,
  PARTS,
  PLANE_EDGE,
  REACH,
  SHARE,
  STEP,
} from "../layout.ts";

const RIGHT: usize = 0;
const LEFT: usize = 1;
const DOWN: usize = 2;
const UP: usize = 3;

/** The first step: a row's arms, its terms, and their sums along the row. `scratch` has room for the row's sums. */
export function gather(job: usize, scratch: usize, y: i32): void {
  const height = at(job, JOB_HEIGHT);
  const width = at(job, JOB_WIDTH);
  const row = at(job, JOB_ROW);
  const stride = (row + 2 * PLANE_EDGE) << 1;
  reach(job, RIGHT, y, 2, ARM);
  reach(job, LEFT, y, -2, ARM);
  reach(job, DOWN, y, <isize>stride, min(ARM, <i32>height - 1 - y));
  reach(job, UP, y, -(<isize>stride), min(ARM, y));
  const words = wordsAt(job, y);
  let left = at(job, JOB_CONTRASTS) + ((<usize>y * row) << 1);
  let sums = begun(scratch);
  let sum = i32x4.splat(0);
  for (let x: usize = 0; x < width; x++) {
    const word = <i32>load<i16>(words + (x << 1));
    if (word >= 0) {
      const own = word >> 1;
      const whole = own / COARSE;
      let weight = 0;
      let step = 0;
      if (<i32>x >= whole + 2 && <i32>x - whole + 1 < <i32>width) {
        const part = (own % COARSE) * (PARTS / COARSE);
        const right = left + ((height * row - <usize>whole) << 1);
        const after = between(right + 2, part);
        const slope = after - between(right - 2, part);
        weight = (slope * slope) >> 4;
        step = 3 * slope * (between(right, part) - <i32>load<i16>(left));
      }
      sum = i32x4.add(sum, term(weight, weight * own + step, 65536 + (word & 1)));
    }
    v128.store(sums, sum);
    sums += 16;
    left += 2;
  }
  takeRow(job, scratch, y, 0, sum);
}

/** The second step: a row's new terms, made from the gathered sums, and their sums along the row again. */
export function spread(job: usize, scratch: usize, y: i32): void {
  const width = at(job, JOB_WIDTH);
  const words = wordsAt(job, y);
  const up = armsAt(job, UP, y);
  const down = armsAt(job, DOWN, y);
  let own = gatheredAt(job, 0, y);
  let sums = begun(scratch);
  let sum = i32x4.splat(0);
  for (let x: usize = 0; x < width; x++) {
    const word = <i32>load<i16>(words + (x << 1));
    if (word >= 0) {
      const disparity = word >> 1;
      const found = column(own, width << 4, load<u8>(up + x), load<u8>(down + x));
      const weight = i32x4.extract_lane(found, 0);
      const top = (i32x4.extract_lane(found, 1) - weight * disparity) >> 7;
      const less = weight >> 7;
      sum = i32x4.add(sum, term(less, less * disparity + top, i32x4.extract_lane(found, 2)));
    }
    v128.store(sums, sum);
    sums += 16;
    own += 16;
  }
  takeRow(job, scratch, y, 1, sum);
}

/** The third step: a row's disparities in parts, in `scratch`, and its depth. */
export function refine(job: usize, scratch: usize, y: i32): void {
  const width = at(job, JOB_WIDTH);
  const words = wordsAt(job, y);
  const up = armsAt(job, UP, y);
  const down = armsAt(job, DOWN, y);
  let own = gatheredAt(job, 1, y);
  for (let x: usize = 0; x < width; x++) {
    const disparity = <i32>load<i16>(words + (x << 1)) >> 1;
    let parts: i32 = 0;
    if (disparity >= 0) {
      const found = column(own, width << 4, load<u8>(up + x), load<u8>(down + x));
      const counts = i32x4.extract_lane(found, 2);
      const sure = counts & 65535;
      if (sure >= FEWEST && sure * 32 >= (counts >> 16) * SHARE) {
        const weights = i32x4.extract_lane(found, 0);
        const weight = weights >> 3;
        const top = i32x4.extract_lane(found, 1) - weights * disparity;
        const move = weight > 0 ? <i32>(<f64>top / <f64>weight) : 0;
        parts = max(1, disparity * (PARTS / COARSE) + min(max(move, -LONGEST), LONGEST));
      }
    }
    store<i32>(scratch + (x << 2), parts);
    own += 16;
  }
  depthRow(job, scratch, at(job, JOB_DEPTH) + ((<usize>y * width) << 1));
}

/** Depth as stages/stereo/depth.ts has it. Quotients of whole numbers as small as these are exact, rounded down, in floating point, too. */
function depthRow(job: usize, row: usize, into: usize): void {
  const scale = <f64>at(job, JOB_SCALE);
  const shift = <i32>at(job, JOB_SHIFT);
  const width = <i32>at(job, JOB_WIDTH);
  for (let x = 0; x < width; x++) {
    const own = partsAt(row, x);
    const found = own > 0 ? own : behind(row, x, width);
    const parts = found + shift;
    const z = found > 0 && parts > 0 ? <u32>min((scale + <f64>(parts >> 1)) / <f64>parts, 65536) : 0;
    store<u16>(into + (x << 1), z > 65535 ? 0 : <u16>z);
  }
}

function partsAt(row: usize, x: i32): i32 {
  return load<i32>(row + ((<usize>x) << 2));
}

/** The disparity of what is behind the thing right of an invalid pixel, 0 if no thing hides the pixel. */
function behind(row: usize, x: i32, width: i32): i32 {
  let left = x;
  let right = x;
  while (left >= 0 && x - left < HIDDEN && partsAt(row, left) === 0) left--;
  while (right < width && right - x < HIDDEN && partsAt(row, right) === 0) right++;
  if (left < 0 || right >= width || right - left > HIDDEN) return 0;
  let least = partsAt(row, left);
  let last = least;
  for (let i = left - 1; i >= 0 && i > left - BACK; i--) {
    const other = partsAt(row, i);
    if (other === 0 || abs(other - last) >= STEP) break;
    least = min(least, other);
    last = other;
  }
  const nearer = partsAt(row, right) - least;
  return nearer >= STEP && (right - left - 1) * PARTS <= nearer ? least : 0;
}

function wordsAt(job: usize, y: i32): usize {
  return at(job, JOB_MEDIANS) + ((<usize>y * (at(job, JOB_ROW) + 2 * PLANE_EDGE) + PLANE_EDGE) << 1);
}

function armsAt(job: usize, way: usize, y: i32): usize {
  return at(job, JOB_ARMS) + (way * at(job, JOB_HEIGHT) + <usize>y) * at(job, JOB_ROW);
}

/** A row's arms one way, in steps of `step` bytes. Beside the image nothing is valid, so that arms there add nothing. */
function reach(job: usize, way: usize, y: i32, step: isize, most: i32): void {
  const words = wordsAt(job, y);
  const into = armsAt(job, way, y);
  const none = i64x2.splat(0);
  for (let x: usize = 0; x < at(job, JOB_ROW); x += 8) {
    let place = words + (x << 1);
    const own = i16x8.shr_s(v128.load(place), 1);
    let goes = i16x8.ge_s(own, none);
    let length = none;
    for (let i = 0; i < most; i++) {
      place += step;
      const other = i16x8.shr_s(v128.load(place), 1);
      const isFar = i16x8.ge_s(i16x8.abs(i16x8.sub(other, own)), i16x8.splat(<i16>REACH));
      goes = v128.andnot(goes, v128.and(isFar, i16x8.ge_s(other, none)));
      length = i16x8.sub(length, goes);
    }
    v128.store64_lane(into + x, i8x16.narrow_i16x8_u(length, length), 0);
  }
}

/** A value of the right image between a pixel and the one before it. */
function between(right: usize, part: i32): i32 {
  const pixel = <i32>load<i16>(right);
  return pixel + (((<i32>load<i16>(right - 2) - pixel) * part + PARTS / 2) >> 8);
}

function term(weight: i32, moved: i32, count: i32): v128 {
  return i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(weight), 1, moved), 2, count);
}

/** Where the sums from the row's beginning on begin: behind the sums of arms that reach out of the image. */
function begun(scratch: usize): usize {
  memory.fill(scratch, 0, (ARM + 1) << 4);
  return scratch + ((ARM + 1) << 4);
}

/** Writes the sums along each pixel's arms in its row. */
function takeRow(job: usize, scratch: usize, y: i32, turn: usize, all: v128): void {
  const width = at(job, JOB_WIDTH);
  const right = armsAt(job, RIGHT, y);
  const left = armsAt(job, LEFT, y);
  let sums = scratch + (ARM << 4);
  for (let i = 1; i <= ARM; i++) v128.store(sums + ((width + <usize>i) << 4), all);
  let into = gatheredAt(job, turn, y);
  for (let x: usize = 0; x < width; x++) {
    const end = v128.load(sums + ((<usize>load<u8>(right + x) + 1) << 4));
    v128.store(into, i32x4.sub(end, v128.load(sums - ((<usize>load<u8>(left + x)) << 4))));
    sums += 16;
    into += 16;
  }
}

function gatheredAt(job: usize, turn: usize, y: i32): usize {
  return at(job, JOB_GATHERED) + (((turn * at(job, JOB_HEIGHT) + <usize>y) * at(job, JOB_WIDTH)) << 4);
}

/** The sum along a pixel's arms in its column: `own` lies in the pixel's row, and `line` is how far the next row lies from it. */
function column(own: usize, line: usize, up: usize, down: usize): v128 {
  let place = own - up * line;
  const end = own + down * line;
  let sum = v128.load(place);
  while (place !== end) {
    place += line;
    sum = i32x4.add(sum, v128.load(place));
  }
  return sum;
}
