/**
 * The runs of points that become one splat each: the twin's runs.ts, with its names. Distance, pixel and longest run of each point are
 * computed once, before the runs are gathered.
 */
import {
  abs,
  add,
  all,
  choose,
  div,
  highHalves,
  less,
  lowHalves,
  more,
  mul,
  sub,
  whole,
  zipHigh,
  zipLow,
} from "../../core/assembly/vectors.ts";
import * as layout from "../layout.ts";

const RUN: usize = 4 * layout.RUN_FIELDS;

/** Writes distance, pixel and longest run of each point, four at a time: the memory behind has to have room for three more. */
export function measure(
  points: usize,
  count: i32,
  camera: usize,
  distances: usize,
  pixels: usize,
  lengths: usize,
): void {
  if (count <= 0) return;
  const end = points + (count << 4);
  const viewX = v128.load_splat<f32>(camera, 4 * 2);
  const viewY = v128.load_splat<f32>(camera, 4 * 6);
  const viewZ = v128.load_splat<f32>(camera, 4 * 10);
  const view0 = v128.load_splat<f32>(camera, 4 * 14);
  const longest = whole(v128.load_splat<f32>(camera, 4 * layout.LONGEST_RUN));
  do {
    const p0 = v128.load(points);
    const p1 = v128.load(points, 16);
    const p2 = v128.load(points, 32);
    const p3 = v128.load(points, 48);
    const low0 = zipLow(p0, p1);
    const low1 = zipLow(p2, p3);
    const x = lowHalves(low0, low1);
    const y = highHalves(low0, low1);
    const z = lowHalves(zipHigh(p0, p1), zipHigh(p2, p3));
    const distance = add(add(add(mul(viewX, x), mul(viewY, y)), mul(viewZ, z)), view0);
    v128.store(distances, distance);
    const size = more(div(mul(v128.load_splat<f32>(camera, 4 * layout.ZOOM), z), distance), all(1));
    const r = div(less(radiusAt(distance, camera), v128.load_splat<f32>(camera, 4 * layout.MAX_REACH)), size);
    // 1, 2 or 4, but no more than the parameter `longestRun`.
    const most = choose(f32x4.ge(r, all(4 * layout.RUN_RADIUS)), i32x4.splat(4), i32x4.splat(2));
    v128.store(lengths, choose(f32x4.ge(r, all(2 * layout.RUN_RADIUS)), i32x4.min_s(most, longest), i32x4.splat(1)));
    const sensorX = v128.load_splat<f32>(camera, 4 * layout.SENSOR_X);
    const sensorY = v128.load_splat<f32>(camera, 4 * layout.SENSOR_Y);
    const column = pixelOf(x, z, sensorX, v128.load_splat<f32>(camera, 4 * layout.SENSOR_CENTRE_X));
    const row = pixelOf(y, z, sensorY, v128.load_splat<f32>(camera, 4 * layout.SENSOR_CENTRE_Y));
    v128.store(pixels, i32x4.add(i32x4.shl(row, 16), column));
    points += 64;
    distances += 16;
    pixels += 16;
    lengths += 16;
  } while (points < end);
}

function radiusAt(distance: v128, camera: usize): v128 {
  const inverseFocus = v128.load_splat<f32>(camera, 4 * layout.INVERSE_FOCUS);
  return mul(v128.load_splat<f32>(camera, 4 * layout.BLUR), abs(sub(inverseFocus, div(all(1), distance))));
}

/** The column (or row) of the depth image that a point comes from. */
function pixelOf(x: v128, z: v128, focal: v128, centre: v128): v128 {
  return whole(roundedPlace(x, z, focal, centre));
}

/** The same as f32. */
export function roundedPlace(x: v128, z: v128, focal: v128, centre: v128): v128 {
  const place = f32x4.floor(add(add(mul(div(x, z), focal), centre), all(0.5)));
  return less(more(all(-32768), place), all(32767));
}

/**
 * Writes the runs, `RUN_FIELDS` words each, that begin with the points from `i` to `last`. Returns the end of what it wrote. Four points
 * in a row that are runs of one point are written together.
 */
export function gather(
  points: usize,
  i: i32,
  last: i32,
  count: i32,
  camera: usize,
  distances: usize,
  pixels: usize,
  lengths: usize,
  tables: usize,
  runs: usize,
): usize {
  while (i < last) {
    const at = points + (i << 4);
    const own = i << 2;
    if (i + 4 <= last && i32x4.all_true(i32x4.eq(v128.load(lengths + own), i32x4.splat(1)))) {
      const distance = v128.load(distances + own);
      const pixel = v128.load(pixels + own);
      const p0 = v128.load(at);
      const p1 = v128.load(at, 16);
      const p2 = v128.load(at, 32);
      const p3 = v128.load(at, 48);
      v128.store(runs, p0);
      v128.store(runs, alone(v128.shuffle<u32>(distance, pixel, 0, 4, 0, 0), p0), 16);
      v128.store(runs, p1, RUN);
      v128.store(runs, alone(v128.shuffle<u32>(distance, pixel, 1, 5, 0, 0), p1), RUN + 16);
      v128.store(runs, p2, 2 * RUN);
      v128.store(runs, alone(v128.shuffle<u32>(distance, pixel, 2, 6, 0, 0), p2), 2 * RUN + 16);
      v128.store(runs, p3, 3 * RUN);
      v128.store(runs, alone(v128.shuffle<u32>(distance, pixel, 3, 7, 0, 0), p3), 3 * RUN + 16);
      runs += 4 * RUN;
      i += 4;
      continue;
    }
    const length = load<i32>(lengths + own);
    const pixel = load<i32>(pixels + own);
    const column = <i32>(<i16>pixel);
    const point = i++;
    const by = ((column % length) + length) % length;
    // The point belongs to another point's run.
    if (by > 0 && by <= point && follows(points, pixels, lengths, point, point - by, by, length)) continue;
    let mean = v128.load(at);
    let distance = load<f32>(distances + own);
    let members: f32 = 1;
    if (by === 0 && length > 1) {
      let light = linear(tables, i32x4.extract_lane(mean, 3), all(0));
      for (let step = 1; step < layout.MOST; step++) {
        const next = point + step;
        if (next >= count || !follows(points, pixels, lengths, next, point, step, length)) continue;
        const other = v128.load(points + (next << 4));
        mean = add(mean, other);
        light = add(light, linear(tables, i32x4.extract_lane(other, 3), all(0)));
        members += 1;
      }
      if (members > 1) {
        mean = div(mean, f32x4.splat(members));
        light = div(light, f32x4.splat(members));
        distance = toView(camera, mean);
        mean = i32x4.replace_lane(mean, 3, encodedColour(tables, light));
      }
    }
    v128.store(runs, mean);
    store<f32>(runs, distance, 4 * layout.RUN_DISTANCE);
    store<i32>(runs, pixel, 4 * layout.RUN_DISTANCE + 4);
    store<f32>(runs, members, 4 * layout.RUN_DISTANCE + 8);
    store<f32>(runs, load<f32>(at, 8), 4 * layout.RUN_DISTANCE + 12);
    runs += RUN;
  }
  return runs;
}

/** The second half of a run of one point: distance and pixel, which are first in `known`, the number 1, and the point's z. */
function alone(known: v128, point: v128): v128 {
  return v128.shuffle<u32>(known, f32x4.replace_lane(point, 0, 1), 0, 1, 4, 6);
}

/** Whether a point belongs to the run of the point `leader`, `by` columns to its left. */
function follows(points: usize, pixels: usize, lengths: usize, point: i32, leader: i32, by: i32, length: i32): bool {
  if (by >= length) return false;
  if (load<i32>(pixels + (point << 2)) !== load<i32>(pixels + (leader << 2)) + by) return false;
  const z = load<f32>(points + (leader << 4), 8);
  return (
    load<i32>(lengths + (point << 2)) === length &&
    load<i32>(lengths + (leader << 2)) === length &&
    Mathf.abs(load<f32>(points + (point << 4), 8) - z) < <f32>layout.EDGE * z
  );
}

/** The distance from the camera along its axis, m. */
export function toView(camera: usize, place: v128): f32 {
  const x = load<f32>(camera, 4 * 2) * f32x4.extract_lane(place, 0);
  const y = load<f32>(camera, 4 * 6) * f32x4.extract_lane(place, 1);
  const z = load<f32>(camera, 4 * 10) * f32x4.extract_lane(place, 2);
  return x + y + z + load<f32>(camera, 4 * 14);
}

/** The light of a colour's red, green and blue, and in the last lane that of `last`. */
export function linear(tables: usize, colour: u32, last: v128): v128 {
  const red = v128.load_lane<f32>(tables + ((colour << 2) & 1020), last, 0, layout.LIGHT_AT);
  const green = v128.load_lane<f32>(tables + ((colour >> 6) & 1020), red, 1, layout.LIGHT_AT);
  return v128.load_lane<f32>(tables + ((colour >> 14) & 1020), green, 2, layout.LIGHT_AT);
}

/** The colour whose red, green and blue have the light of the first three lanes. */
export function encodedColour(tables: usize, light: v128): i32 {
  const red = encoded(tables, f32x4.extract_lane(light, 0));
  const green = encoded(tables, f32x4.extract_lane(light, 1));
  return red | (green << 8) | (encoded(tables, f32x4.extract_lane(light, 2)) << 16);
}

/** The sRGB byte of linear light, without a power: the byte in the table is the right one or, seldom, a smaller one. */
export function encoded(tables: usize, light: f32): i32 {
  let byte: i32 = load<u8>(tables + <u32>(light * <f32>layout.TABLE_STEPS), layout.BYTES_AT);
  while (!(light < load<f32>(tables + (byte << 2), layout.ENDS_AT))) byte++;
  return byte;
}
