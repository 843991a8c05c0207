/** What is beside runs of points in the depth image, four at a time: the second step of project.ts' `shape`, with its names. */
import { abs, add, all, choose, div, mul, neg, sub } from "../../core/assembly/vectors.ts";
import { EDGE, UNDER, UNIT } from "../layout.ts";
import { Places } from "./place.ts";

let depth: usize = 0;
let columns: i32 = 0;
let rows: i32 = 0;
let unit: v128 = i64x2.splat(0);

/** Of what place.ts wrote: how a patch lies beside its neighbours. `image` is the depth image, u16, `width` × `height`. */
export function neighbours(places: usize, count: i32, image: usize, width: i32, height: i32, view: usize): void {
  depth = image;
  columns = width;
  rows = height;
  unit = v128.load_splat<f32>(view, 4 * UNIT);
  for (; count > 0; count -= 4, places += offsetof<Places>()) {
    const it = changetype<Places>(places);
    const members = it.members;
    const pixel = it.pixel;
    // Where a metre deeper moves nothing, and no hole is near, there is nothing to ask for.
    if (!v128.any_true(v128.or(it.deeperX, it.deeperY)) && inMidst(pixel)) {
      it.toLeft = it.toRight = it.toUp = it.toDown = all(0);
      it.long = members;
      it.high = all(1);
      it.middle = it.middle2 = all(0);
      continue;
    }
    const u = i32x4.shr_s(i32x4.shl(pixel, 16), 16);
    const v = i32x4.shr_s(i32x4.sub(pixel, u), 16);
    const z = it.z;
    const firstZ = it.firstZ;
    const none = i32x4.splat(0);
    const zLeft = depthAt(i32x4.add(u, i32x4.splat(-1)), v);
    const zRight = depthAt(i32x4.add(u, i32x4.splat(1)), v);
    const zUp = depthAt(u, i32x4.add(v, i32x4.splat(-1)));
    const zDown = depthAt(u, i32x4.add(v, i32x4.splat(1)));
    const alone = f32x4.eq(members, all(1));
    const besides = goesOn(u, v, v128.and(alone, wayOf(zLeft, zRight, z)), none, z);
    const downwards = goesOn(u, v, none, v128.and(alone, wayOf(zUp, zDown, z)), z);
    const left = rise(zLeft, firstZ);
    const toRight = choose(f32x4.gt(besides, all(0)), neg(left), rise(zRight, firstZ));
    const up = rise(zUp, firstZ);
    const toDown = choose(f32x4.gt(downwards, all(0)), neg(up), rise(zDown, firstZ));
    const long = add(members, abs(besides));
    const high = add(all(1), abs(downwards));
    it.toRight = toRight;
    it.toLeft = choose(f32x4.lt(besides, all(0)), neg(toRight), left);
    it.toDown = toDown;
    it.toUp = choose(f32x4.lt(downwards, all(0)), neg(toDown), up);
    it.long = long;
    it.high = high;
    it.middle = div(mul(all(0.5), besides), long);
    it.middle2 = div(mul(all(0.5), downwards), high);
  }
}

/** Whether four pixels, row · 65536 + column, are side by side with neighbours on all sides. */
function inMidst(pixel: v128): bool {
  const first = i32x4.extract_lane(pixel, 0);
  const u = <i32>(<i16>first);
  const v = (first - u) >> 16;
  const sideBySide = i32x4.all_true(i32x4.eq(pixel, i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3))));
  if (!sideBySide || u <= 0 || u + 4 >= columns || v <= 0 || v + 1 >= rows) return false;
  const pitch = columns << 1;
  const at = depth + v * pitch + (u << 1);
  return i16x8.all_true(
    i16x8.min_u(
      i16x8.min_u(v128.load_splat<u64>(at - 2), v128.load_splat<u64>(at, 2)),
      i16x8.min_u(v128.load_splat<u64>(at - pitch), v128.load_splat<u64>(at + pitch)),
    ),
  );
}

/** How much deeper than `z` that is, if it is of the same surface. */
function rise(there: v128, z: v128): v128 {
  return v128.and(isSame(there, z), sub(there, z));
}

/** Whether two distances are of one surface. */
function isSame(there: v128, z: v128): v128 {
  return f32x4.lt(abs(sub(there, z)), mul(all(EDGE), z));
}

/** The way to a hole that a surface comes to: 1 onwards, -1 back, 0 if there is none. */
function wayOf(before: v128, after: v128, z: v128): v128 {
  return i32x4.sub(
    v128.and(f32x4.eq(before, all(0)), isSame(after, z)),
    v128.and(f32x4.eq(after, all(0)), isSame(before, z)),
  );
}

/** By how many pixels a patch goes on, towards (du, dv), if what is beyond a hole is nearer; negative if that is back. */
function goesOn(u: v128, v: v128, du: v128, dv: v128, z: v128): v128 {
  const way = v128.or(du, dv);
  let wanted = i32x4.ne(way, i32x4.splat(0));
  let far = all(0);
  u = i32x4.add(u, du);
  v = i32x4.add(v, dv);
  for (let step = 2; step <= 2 * UNDER && v128.any_true(wanted); step++) {
    u = i32x4.add(u, du);
    v = i32x4.add(v, dv);
    const there = depthAt(u, v);
    const ended = v128.and(wanted, f32x4.gt(there, all(0)));
    wanted = v128.andnot(wanted, ended);
    const nearer = v128.and(ended, f32x4.ge(sub(z, there), mul(all(EDGE), z)));
    const off = UNDER + 1 - step;
    far = choose(nearer, f32x4.splat(<f32>(UNDER - (off < 0 ? -off : off))), far);
  }
  return mul(far, f32x4.convert_i32x4_s(way));
}

/** The distances of pixels of the depth image, 0 where there is none. */
function depthAt(u: v128, v: v128): v128 {
  const inside = v128.and(i32x4.lt_u(u, i32x4.splat(columns)), i32x4.lt_u(v, i32x4.splat(rows)));
  const pixel = i32x4.add(u, i32x4.mul(v, i32x4.splat(columns)));
  const at = i32x4.add(i32x4.splat(<i32>depth), v128.and(inside, i32x4.shl(pixel, 1)));
  let values = i32x4.splat(load<u16>(i32x4.extract_lane(at, 0)));
  values = i32x4.replace_lane(values, 1, load<u16>(i32x4.extract_lane(at, 1)));
  values = i32x4.replace_lane(values, 2, load<u16>(i32x4.extract_lane(at, 2)));
  values = i32x4.replace_lane(values, 3, load<u16>(i32x4.extract_lane(at, 3)));
  return mul(f32x4.convert_i32x4_s(v128.and(inside, values)), unit);
}
