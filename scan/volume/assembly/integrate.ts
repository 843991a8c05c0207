/** Adds a frame to bricks: `integrate` of scan/volume/integrate.ts, four voxels of a row at a time. */
import {
  abs,
  add,
  all,
  choose,
  div,
  highHalves,
  less,
  lowHalves,
  mul,
  sub,
  zipHigh,
  zipLow,
} from "../../../stages/core/assembly/vectors.ts";
import * as layout from "../layout.ts";

/** All arguments but the sizes and `count` are addresses; integrate.ts says of what. */
export function integrate(
  values: usize,
  planes: usize,
  colours: usize,
  width: i32,
  height: i32,
  list: usize,
  count: i32,
): void {
  const voxel = load<f32>(values, 64);
  const xx = v128.load_splat<f32>(values);
  const yx = v128.load_splat<f32>(values, 16);
  const zx = v128.load_splat<f32>(values, 32);
  const fx = v128.load_splat<f32>(values, 48);
  const fy = v128.load_splat<f32>(values, 52);
  const cx = v128.load_splat<f32>(values, 56);
  const cy = v128.load_splat<f32>(values, 60);
  const widthAll = f32x4.splat(<f32>width);
  const heightAll = f32x4.splat(<f32>height);
  const perLean = f32x4.splat(load<f32>(values, 68) / <f32>layout.LEAN_UNITS);
  for (const end = list + count * layout.ENTRY; list < end; list += layout.ENTRY) {
    const brick = <usize>load<i32>(list);
    const bx = add(f32x4.splat(<f32>(load<i32>(list, 4) * layout.EDGE)), f32x4(0, 1, 2, 3));
    const left = mul(bx, f32x4.splat(voxel));
    const right = mul(add(bx, all(4)), f32x4.splat(voxel));
    let rowX = left;
    let rowY = left;
    let rowZ = left;
    const by = <f32>(load<i32>(list, 8) * layout.EDGE);
    const bz = <f32>(load<i32>(list, 12) * layout.EDGE);
    let group = 0;
    do {
      let x = right;
      if ((group & 1) === 0) {
        const y = (by + <f32>((group >> 1) & 7)) * voxel;
        const z = (bz + <f32>(group >> 4)) * voxel;
        rowX = rowOf(values, y, z);
        rowY = rowOf(values + 16, y, z);
        rowZ = rowOf(values + 32, y, z);
        x = left;
      }
      const depth = add(rowZ, mul(zx, x));
      const per = div(all(1), depth);
      const u = add(mul(mul(add(rowX, mul(xx, x)), per), fx), cx);
      const v = add(mul(mul(add(rowY, mul(yx, x)), per), fy), cy);
      const column = f32x4.floor(add(u, all(0.5)));
      const line = f32x4.floor(add(v, all(0.5)));
      const isAcross = v128.and(f32x4.ge(column, all(0)), f32x4.lt(column, widthAll));
      const isDown = v128.and(f32x4.ge(line, all(0)), f32x4.lt(line, heightAll));
      const isSeen = v128.and(f32x4.gt(depth, all(layout.NEAREST)), v128.and(isAcross, isDown));
      if (!v128.any_true(isSeen)) continue;
      // Exact, as a frame has fewer than 2^24 pixels.
      const pixel = v128.and(isSeen, i32x4.trunc_sat_f32x4_s(add(mul(line, widthAll), column)));
      const places = i32x4.add(i32x4.splat(<i32>planes), i32x4.shl(pixel, 4));
      const a = v128.load(<usize>i32x4.extract_lane(places, 0));
      const b = v128.load(<usize>i32x4.extract_lane(places, 1));
      const c = v128.load(<usize>i32x4.extract_lane(places, 2));
      const d = v128.load(<usize>i32x4.extract_lane(places, 3));
      const ab = zipHigh(a, b);
      const cd = zipHigh(c, d);
      const packed = highHalves(ab, cd);
      const down = mul(lowHalves(ab, cd), sub(v, line));
      const abLow = zipLow(a, b);
      const cdLow = zipLow(c, d);
      const slope = add(mul(highHalves(abLow, cdLow), sub(u, column)), down);
      const along = sub(add(lowHalves(abLow, cdLow), slope), depth);
      const lean = f32x4.convert_i32x4_s(v128.and(packed, i32x4.splat(0xffff)));
      const distance = mul(along, mul(lean, perLean));
      const fade = less(all(1), mul(add(distance, all(layout.DEEPEST)), all(4)));
      const most = f32x4.convert_i32x4_s(i32x4.shr_u(packed, 16));
      const weight = f32x4.floor(mul(most, fade));
      const isTaken = v128.and(isSeen, f32x4.gt(weight, all(0)));
      if (!v128.any_true(isTaken)) continue;
      const to = brick + (group << 3);
      const before = v128.load_ext<i16>(to);
      const hadBefore = v128.load_ext<u16>(to, layout.WEIGHTS);
      const had = f32x4.convert_i32x4_s(hadBefore);
      const sum = add(had, weight);
      const now = f32x4.convert_i32x4_s(before);
      const wanted = mul(less(distance, all(1)), all(layout.DISTANCE_UNITS));
      const mean = add(add(now, mul(sub(wanted, now), div(weight, sum))), all(0.5));
      const distances = choose(isTaken, i32x4.trunc_sat_f32x4_s(f32x4.floor(mean)), before);
      const weights = choose(isTaken, i32x4.trunc_sat_f32x4_s(less(sum, all(layout.MOST_WEIGHT))), hadBefore);
      v128.store_lane<u64>(to, i16x8.narrow_i32x4_s(distances, distances), 0);
      v128.store_lane<u64>(to, i16x8.narrow_i32x4_s(weights, weights), 0, layout.WEIGHTS);
      if (colours === 0) continue;
      const isNear = v128.and(isTaken, f32x4.lt(abs(distance), all(layout.COLOURED)));
      if (!v128.any_true(isNear)) continue;
      const at = brick + layout.COLOURS + (group << 4);
      const old = v128.load(at);
      const isNew = v128.or(i32x4.eq(hadBefore, i32x4.splat(0)), i32x4.eq(old, i32x4.splat(0)));
      const part = choose(isNew, all(1), div(weight, add(less(had, all(layout.MOST_COLOUR)), weight)));
      const seen = i32x4.add(i32x4.splat(<i32>colours), i32x4.shl(pixel, 2));
      let rgba = v128.load_zero<u32>(<usize>i32x4.extract_lane(seen, 0));
      rgba = v128.load_lane<u32>(<usize>i32x4.extract_lane(seen, 1), rgba, 1);
      rgba = v128.load_lane<u32>(<usize>i32x4.extract_lane(seen, 2), rgba, 2);
      rgba = v128.load_lane<u32>(<usize>i32x4.extract_lane(seen, 3), rgba, 3);
      const isColoured = v128.and(isNear, i32x4.ne(i32x4.shr_u(rgba, 24), i32x4.splat(0)));
      v128.store(at, choose(isColoured, mixed(old, rgba, part), old));
    } while (++group < 2 * layout.EDGE * layout.EDGE);
  }
}

/** One coordinate of a row's beginning: `row` is the address of that row of the motion. */
function rowOf(row: usize, y: f32, z: f32): v128 {
  return f32x4.splat(load<f32>(row, 4) * y + load<f32>(row, 8) * z + load<f32>(row, 12));
}

function mixed(colour: v128, rgba: v128, share: v128): v128 {
  const red = towards(v128.and(colour, i32x4.splat(0x7ff)), i32x4.shl(v128.and(rgba, i32x4.splat(0xff)), 3), share);
  const green = towards(
    v128.and(i32x4.shr_u(colour, 11), i32x4.splat(0x7ff)),
    v128.and(i32x4.shr_u(rgba, 5), i32x4.splat(0x7f8)),
    share,
  );
  const blue = towards(i32x4.shr_u(colour, 22), v128.and(i32x4.shr_u(rgba, 14), i32x4.splat(0x3fc)), share);
  return v128.or(red, v128.or(i32x4.shl(green, 11), i32x4.shl(blue, 22)));
}

function towards(from: v128, to: v128, share: v128): v128 {
  const now = f32x4.convert_i32x4_s(from);
  const moved = add(now, mul(f32x4.convert_i32x4_s(i32x4.sub(to, from)), share));
  return i32x4.trunc_sat_f32x4_s(f32x4.floor(add(moved, all(0.5))));
}
