/**
 * The patches of runs, four side by side: `neighboursOf` and `patchOf` of the twin's patch.ts, with their names. The first finds the
 * surface beside each run in the depth image, the second where the patch is in the picture.
 */
import { abs, add, all, choose, div, more, mul, neg, sqrt, sub } from "../../core/assembly/vectors.ts";
import { EDGE, LEAST, POINT_SCALE, UNDER, UNIT } from "../layout.ts";
import { FourPatches, FourRuns } from "./moves.ts";

let depth: usize = 0;
let columns: i32 = 0;
let rows: i32 = 0;
let unit: v128 = i64x2.splat(0);

/** Finds the surface beside `count` runs. `image` is the depth image, u16, `width` × `height`. */
export function neighboursOf(places: usize, count: i32, image: usize, width: i32, height: i32, camera: usize): void {
  depth = image;
  columns = width;
  rows = height;
  unit = v128.load_splat<f32>(camera, 4 * UNIT);
  for (; count > 0; count -= 4, places += offsetof<FourRuns>()) {
    const four = changetype<FourRuns>(places);
    const members = four.members;
    const pixel = four.pixel;
    // Where depth moves nothing and no hole is near, the neighbours change nothing.
    if (!v128.any_true(v128.or(four.deeperX, four.deeperY)) && inMidst(pixel)) {
      four.backX = four.onX = four.backY = four.onY = all(0);
      four.extentX = members;
      four.extentY = all(1);
      four.middleX = four.middleY = all(0);
      continue;
    }
    const u = i32x4.shr_s(i32x4.shl(pixel, 16), 16);
    const v = i32x4.shr_s(i32x4.sub(pixel, u), 16);
    const z = four.firstZ;
    const none = i32x4.splat(0);
    const beforeX = depthAt(i32x4.add(u, i32x4.splat(-1)), v);
    const afterX = depthAt(i32x4.add(u, i32x4.splat(1)), v);
    const beforeY = depthAt(u, i32x4.add(v, i32x4.splat(-1)));
    const afterY = depthAt(u, i32x4.add(v, i32x4.splat(1)));
    const alone = f32x4.eq(members, all(1));
    const underX = goesOn(u, v, v128.and(alone, wayOf(beforeX, afterX, z)), none, z);
    const underY = goesOn(u, v, none, v128.and(alone, wayOf(beforeY, afterY, z)), z);
    const left = rise(beforeX, z);
    const onX = choose(f32x4.gt(underX, all(0)), neg(left), rise(afterX, z));
    const up = rise(beforeY, z);
    const onY = choose(f32x4.gt(underY, all(0)), neg(up), rise(afterY, z));
    const extentX = add(members, abs(underX));
    const extentY = add(all(1), abs(underY));
    four.onX = onX;
    four.backX = choose(f32x4.lt(underX, all(0)), neg(onX), left);
    four.onY = onY;
    four.backY = choose(f32x4.lt(underY, all(0)), neg(onY), up);
    four.extentX = extentX;
    four.extentY = extentY;
    four.middleX = div(mul(all(0.5), underX), extentX);
    four.middleY = div(mul(all(0.5), underY), extentY);
  }
}

/** Whether four pixels, row · 65536 + column, lie side by side and all pixels beside them are valid. */
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

/** How much deeper than `z` the neighbours are that belong to the same surface; else 0. */
function rise(there: v128, z: v128): v128 {
  return v128.and(isSame(there, z), sub(there, z));
}

/** Whether two distances belong to one surface. */
function isSame(there: v128, z: v128): v128 {
  return f32x4.lt(abs(sub(there, z)), mul(all(EDGE), z));
}

/** The direction from a surface to a hole beside it: 1 onwards, -1 back, 0 if there is none. */
function wayOf(before: v128, after: v128, z: v128): v128 {
  return i32x4.sub(
    v128.and(f32x4.eq(before, all(0)), isSame(after, z)),
    v128.and(f32x4.eq(after, all(0)), isSame(before, z)),
  );
}

/** By how many pixels a patch extends into a hole towards (du, dv), before a nearer surface; negative backwards. */
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

/** The distances of pixels of the depth image; 0 where they are invalid. */
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

/** The patches of `count` runs, of which `movesOf` and `neighboursOf` have written the rest. */
export function patchOf(places: usize, count: i32, camera: usize): void {
  if (count <= 0) return;
  const pointScale = v128.load_splat<f32>(camera, 4 * POINT_SCALE);
  do {
    const four = changetype<FourRuns>(places);
    const scaleX = mul(pointScale, four.extentX);
    const scaleY = mul(pointScale, four.extentY);
    const rightX = four.rightX;
    const rightY = four.rightY;
    const downX = four.downX;
    const downY = four.downY;
    const deeperX = four.deeperX;
    const deeperY = four.deeperY;
    const right1X = mul(scaleX, add(rightX, mul(deeperX, four.onX)));
    const right1Y = mul(scaleX, add(rightY, mul(deeperY, four.onX)));
    const right2X = mul(scaleX, sub(rightX, mul(deeperX, four.backX)));
    const right2Y = mul(scaleX, sub(rightY, mul(deeperY, four.backX)));
    const down1X = mul(scaleY, add(downX, mul(deeperX, four.onY)));
    const down1Y = mul(scaleY, add(downY, mul(deeperY, four.onY)));
    const down2X = mul(scaleY, sub(downX, mul(deeperX, four.backY)));
    const down2Y = mul(scaleY, sub(downY, mul(deeperY, four.backY)));
    const right1 = square(right1X, right1Y);
    const right2 = square(right2X, right2Y);
    const down1 = square(down1X, down1Y);
    const down2 = square(down2X, down2Y);
    // A patch lies along the shorter side of the run: the longer half of that side is its length, the higher half of the other its height.
    const wide = f32x4.lt(more(down1, down2), more(right1, right2));
    const isFirst = choose(wide, f32x4.le(down2, down1), f32x4.le(right2, right1));
    const length = sqrt(choose(wide, more(down1, down2), more(right1, right2)));
    const ownX = choose(isFirst, choose(wide, down1X, right1X), choose(wide, down2X, right2X));
    const ownY = choose(isFirst, choose(wide, down1Y, right1Y), choose(wide, down2Y, right2Y));
    const along = more(length, all(LEAST));
    const least = f32x4.lt(length, all(LEAST));
    const axisX = div(choose(least, all(LEAST), ownX), along);
    const axisY = div(v128.andnot(ownY, least), along);
    const height1 = cross2(axisX, axisY, choose(wide, right1X, down1X), choose(wide, right1Y, down1Y));
    const height2 = cross2(axisX, axisY, choose(wide, right2X, down2X), choose(wide, right2Y, down2Y));
    // Noise bends the patch's own axis; the added height makes differently turned patches still meet.
    const bendX = choose(wide, sub(down1X, down2X), sub(right1X, right2X));
    const bendY = choose(wide, sub(down1Y, down2Y), sub(right1Y, right2Y));
    const bend = abs(cross2(axisX, axisY, bendX, bendY));
    const sides = cross2(add(right1X, right2X), add(right1Y, right2Y), add(down1X, down2X), add(down1Y, down2Y));
    const x = add(four.x, add(mul(right1X, four.middleX), mul(down1X, four.middleY)));
    const y = add(four.y, add(mul(right1Y, four.middleX), mul(down1Y, four.middleY)));
    const to = changetype<FourPatches>(places);
    to.x = x;
    to.y = y;
    to.axisX = axisX;
    to.axisY = axisY;
    to.along = along;
    to.across = more(add(more(abs(height1), abs(height2)), bend), all(LEAST));
    to.area = mul(all(0.25), abs(sides));
    places += offsetof<FourRuns>();
    count -= 4;
  } while (count > 0);
}

function square(x: v128, y: v128): v128 {
  return add(mul(x, x), mul(y, y));
}

function cross2(ax: v128, ay: v128, bx: v128, by: v128): v128 {
  return sub(mul(ax, by), mul(ay, bx));
}
