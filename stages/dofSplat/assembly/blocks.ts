/** The blocks of points that become one splat each while `thinning` is 2 or 4: the twin's blocks.ts, with its names. */

import { add, all, div } from "../../core/assembly/vectors.ts";
import { EDGE, RUN_DISTANCE, RUN_FIELDS, SENSOR_CENTRE_X, SENSOR_X, THINNING, UNIT } from "../layout.ts";
import { encodedColour, linear, roundedPlace, toView } from "./runs.ts";

const RUN: usize = 4 * RUN_FIELDS;

/**
 * Writes the blocks, `RUN_FIELDS` words each, that the points from `i` to `last` of `count` lead, and returns the end of what it wrote.
 * `image` is the depth image, u16, `width` × `height`; `distances` and `pixels` are those of `measure`. `cursors` has room for a word per
 * row of a block: where the points of the next block begin, in most cases.
 */
export function blocks(
  points: usize,
  i: i32,
  last: i32,
  count: i32,
  camera: usize,
  distances: usize,
  pixels: usize,
  cursors: usize,
  image: usize,
  width: i32,
  height: i32,
  tables: usize,
  runs: usize,
): usize {
  const size = <i32>load<f32>(camera, 4 * THINNING);
  const unit = load<f32>(camera, 4 * UNIT);
  for (; i < last; i++) {
    const at = points + (i << 4);
    const pixel = load<i32>(pixels + (i << 2));
    const column = <i32>(<i16>pixel);
    const row = (pixel - column) >> 16;
    const left = column & -size;
    const top = row & -size;
    const firstZ = load<f32>(at, 8);
    if (isLed(image, width, height, unit, left, top, size, column, row, firstZ)) continue;
    let mean = v128.load(at);
    let light = linear(tables, i32x4.extract_lane(mean, 3), all(0));
    let members: f32 = 1;
    let next = i + 1;
    const end = <f32>(left + size);
    for (let v = row; v < top + size; v++) {
      const cursor = cursors + ((v - top) << 2);
      if (v > row) {
        next = firstFrom(points, <f32>left, <f32>v, next, min<i32>(next + width, count), load<i32>(cursor), camera);
      }
      for (let step = 0; step < size && next < count; step++) {
        const other = v128.load(points + (next << 4));
        const place = placeOf(other, camera);
        if (f32x4.extract_lane(place, 1) !== <f32>v || f32x4.extract_lane(place, 0) >= end) break;
        if (isOn(firstZ, f32x4.extract_lane(other, 2))) {
          mean = add(mean, other);
          light = add(light, linear(tables, i32x4.extract_lane(other, 3), all(0)));
          members += 1;
        }
        next++;
      }
      store<i32>(cursor, next);
    }
    let distance = load<f32>(distances + (i << 2));
    if (members > 1) {
      mean = div(mean, f32x4.splat(members));
      distance = toView(camera, mean);
      mean = i32x4.replace_lane(mean, 3, encodedColour(tables, div(light, f32x4.splat(members))));
    }
    v128.store(runs, mean);
    store<f32>(runs, distance, 4 * RUN_DISTANCE);
    store<i32>(runs, pixel, 4 * RUN_DISTANCE + 4);
    store<f32>(runs, 1, 4 * RUN_DISTANCE + 8);
    store<f32>(runs, firstZ, 4 * RUN_DISTANCE + 12);
    runs += RUN;
  }
  return runs;
}

/** Whether an earlier pixel of the block leads the surface on which the pixel lies. */
function isLed(
  image: usize,
  width: i32,
  height: i32,
  unit: f32,
  left: i32,
  top: i32,
  size: i32,
  column: i32,
  row: i32,
  z: f32,
): bool {
  for (let v = top; v <= row; v++) {
    const end = v === row ? column : left + size;
    for (let u = left; u < end; u++) {
      if (<u32>u >= <u32>width || <u32>v >= <u32>height) continue;
      if (isOn(<f32>load<u16>(image + ((v * width + u) << 1)) * unit, z)) return true;
    }
  }
  return false;
}

/**
 * The first of the points from `low` to `high` that comes from the pixel (u, v) or from a later one. Points are in raster order; the
 * search begins at `guess`.
 */
function firstFrom(points: usize, u: f32, v: f32, low: i32, high: i32, guess: i32, camera: usize): i32 {
  let middle = max<i32>(low, min<i32>(guess, high - 1));
  for (let step = 1; low < high; step <<= 1) {
    const at = placeOf(v128.load(points + (middle << 4)), camera);
    const row = f32x4.extract_lane(at, 1);
    if (row < v || (row === v && f32x4.extract_lane(at, 0) < u)) low = middle + 1;
    else high = middle;
    // Near the guess at first, then farther from it, and at last by halves.
    const half = (low + high) >> 1;
    middle = low > middle ? min<i32>(low + step - 1, half) : max<i32>(high - step, half);
  }
  return low;
}

/** The column and the row of the depth image that a point comes from, in the first two lanes: whole numbers, as f32. */
function placeOf(point: v128, camera: usize): v128 {
  const focal = v128.load64_zero(camera, 4 * SENSOR_X);
  const centre = v128.load64_zero(camera, 4 * SENSOR_CENTRE_X);
  return roundedPlace(point, v128.shuffle<u32>(point, point, 2, 2, 2, 2), focal, centre);
}

/** Whether `z` lies on the surface at `leader`. */
function isOn(leader: f32, z: f32): bool {
  return Mathf.abs(z - leader) < <f32>EDGE * leader;
}
