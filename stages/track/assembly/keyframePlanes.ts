/**
 * The twin's keyframePlanes.ts, four pixels at a time. If a row is no multiple of four, its last vector overlaps the one before.
 */
import {
  abs,
  add,
  all,
  choose,
  highHalves,
  inverseRoot,
  lowHalves,
  mul,
  reciprocal,
  sub,
  zipHigh,
  zipLow,
} from "../../core/assembly/vectors.ts";
import { MARGIN, STEEPEST, SURFACE } from "../layout.ts";

/** `inverse` has a margin of zeros. */
export function planesOf(
  z: usize,
  inverse: usize,
  planes: usize,
  width: i32,
  height: i32,
  reach: i32,
  fx: f32,
  fy: f32,
  cx: f32,
  cy: f32,
): void {
  const ix: f32 = 1 / fx;
  const iy: f32 = 1 / fy;
  const row = (width + 2 * MARGIN) << 2;
  invert(z, inverse, width, height);
  for (let y = 0; y < height; y++) {
    const v = f32x4.splat((<f32>y - cy) * iy);
    let x: i32 = 0;
    do {
      x = min(x, width - 4);
      const i = y * width + x;
      const at = inverse + (y + MARGIN) * row + ((x + MARGIN) << 2);
      const w = v128.load(at);
      const column = f32x4.convert_i32x4_s(i32x4.add(i32x4.splat(x), i32x4(0, 1, 2, 3)));
      const u = mul(sub(column, f32x4.splat(cx)), f32x4.splat(ix));
      const nx = mul(slope(at, 4, row, w, reach), f32x4.splat(fx));
      const ny = mul(slope(at, row, 4, w, reach), f32x4.splat(fy));
      const nz = sub(sub(w, mul(nx, u)), mul(ny, v));
      const square = squareOf(nx, ny, nz);
      const perLength = inverseRoot(square);
      const ray = squareOf(u, v, all(1));
      const isSeen = f32x4.gt(w, mul(mul(all(STEEPEST), mul(square, perLength)), mul(ray, inverseRoot(ray))));
      const a = v128.and(mul(nx, perLength), isSeen);
      const b = v128.and(mul(ny, perLength), isSeen);
      const c = v128.and(mul(nz, perLength), isSeen);
      const d = v128.and(v128.load(z + (i << 2)), isSeen);
      const sink = planes + (i << 4);
      v128.store(sink, lowHalves(zipLow(a, b), zipLow(c, d)));
      v128.store(sink, highHalves(zipLow(a, b), zipLow(c, d)), 16);
      v128.store(sink, lowHalves(zipHigh(a, b), zipHigh(c, d)), 32);
      v128.store(sink, highHalves(zipHigh(a, b), zipHigh(c, d)), 48);
      x += 4;
    } while (x < width);
  }
}

function invert(z: usize, inverse: usize, width: i32, height: i32): void {
  for (let y = 0; y < height; y++) {
    const row = inverse + (((y + MARGIN) * (width + 2 * MARGIN) + MARGIN) << 2);
    let x: i32 = 0;
    do {
      x = min(x, width - 4);
      const far = v128.load(z + ((y * width + x) << 2));
      v128.store(row + (x << 2), v128.and(reciprocal(far), f32x4.ne(far, all(0))));
      x += 4;
    } while (x < width);
  }
}

function squareOf(x: v128, y: v128, z: v128): v128 {
  return add(add(mul(x, x), mul(y, y)), mul(z, z));
}

/** `along` and `across` are in bytes. */
function slope(at: usize, along: i32, across: i32, w: v128, reach: i32): v128 {
  let sum = all(0);
  let count = all(0);
  let own = all(0);
  for (let beside = 0; beside <= 2; beside++) {
    const centre = at + (beside === 2 ? -across : beside * across);
    for (let k = 1; k <= reach; k++) {
      const p = v128.load(centre + k * along);
      const q = v128.load(centre - k * along);
      const step = <f32>k;
      const near = mul(f32x4.splat(<f32>SURFACE * step), w);
      const isNear = v128.and(f32x4.lt(abs(sub(p, w)), near), f32x4.lt(abs(sub(q, w)), near));
      sum = add(sum, v128.and(mul(sub(p, q), f32x4.splat(step)), isNear));
      count = add(count, v128.and(f32x4.splat(2 * step * step), isNear));
    }
    if (beside === 0) own = f32x4.gt(count, all(0));
  }
  return choose(own, mul(sum, reciprocal(count)), all(NaN));
}
