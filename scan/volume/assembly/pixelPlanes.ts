/** Makes each pixel a small plane: `makePlanes` of scan/volume/pixelPlanes.ts, four pixels of a row at a time. */
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
  sqrt,
  sub,
  zipHigh,
  zipLow,
} from "../../../stages/core/assembly/vectors.ts";
import { BEND, GRAZING, LEAN_UNITS, PIXEL_WEIGHT, REACH } from "../layout.ts";

/** `depth`, `rays` and `planes` are addresses; there are 16 free bytes before depth, and 64 behind each of the three. */
export function makePlanes(
  depth: usize,
  rays: usize,
  planes: usize,
  width: i32,
  height: i32,
  unit: f32,
  far: f32,
  fx: f32,
  fy: f32,
  a: f32,
  b: f32,
): void {
  const perPixel = f32x4.splat(unit / <f32>REACH);
  const best = f32x4.splat(a + b);
  const down = <usize>(2 * REACH * width);
  for (let y = 0; y < height; y++) {
    const v = v128.load_splat<f32>(rays + 4 * <usize>(width + y));
    const vv = mul(v, v);
    const hasAbove = i32x4.splat(y >= REACH ? -1 : 0);
    const hasBelow = i32x4.splat(y + REACH < height ? -1 : 0);
    const up = y >= REACH ? down : 0;
    const on = y + REACH < height ? down : 0;
    let at = depth + 2 * <usize>(y * width);
    let to = planes + 16 * <usize>(y * width);
    let ray = rays;
    let x = 0;
    do {
      const columns = i32x4.add(i32x4.splat(x), i32x4(0, 1, 2, 3));
      const hasLeft = i32x4.ge_s(columns, i32x4.splat(REACH));
      const hasRight = i32x4.lt_s(columns, i32x4.splat(width - REACH));
      const d = depths(at);
      const left = v128.and(hasLeft, depths(at - 2 * REACH));
      const right = v128.and(hasRight, depths(at + 2 * REACH));
      const above = v128.and(hasAbove, depths(at - up));
      const below = v128.and(hasBelow, depths(at + on));
      const bend = mul(d, all(BEND));
      const isFlat = isStraight(left, d, right, bend);
      const isLevel = isStraight(above, d, below, bend);
      const across = mul(choose(isFlat, mul(sub(right, left), all(0.5)), slope(left, d, right, bend)), perPixel);
      const along = mul(choose(isLevel, mul(sub(below, above), all(0.5)), slope(above, d, below, bend)), perPixel);
      const z = mul(d, f32x4.splat(unit));
      const nx = mul(across, f32x4.splat(fx));
      const ny = mul(along, f32x4.splat(fy));
      const u = v128.load(ray);
      const nz = add(add(z, mul(u, nx)), mul(v, ny));
      const square = add(add(mul(nx, nx), mul(ny, ny)), mul(nz, nz));
      const length = add(add(mul(u, u), vv), all(1));
      const cosine = div(z, sqrt(mul(square, length)));
      const share = less(all(1), div(best, add(f32x4.splat(a), mul(mul(f32x4.splat(b), z), z))));
      const trust = choose(v128.and(isFlat, isLevel), all(PIXEL_WEIGHT), all(PIXEL_WEIGHT / 2));
      const weight = i32x4.trunc_sat_f32x4_s(f32x4.ceil(mul(mul(trust, cosine), share)));
      const lean = less(all(2), div(z, sqrt(square)));
      const code = i32x4.trunc_sat_f32x4_s(f32x4.floor(add(mul(lean, all(LEAN_UNITS)), all(0.5))));
      const isNear = v128.and(f32x4.gt(d, all(0)), f32x4.le(d, f32x4.splat(far)));
      const isUsed = v128.and(isNear, f32x4.ge(cosine, all(GRAZING)));
      const word = v128.and(isUsed, v128.or(i32x4.shl(weight, 16), code));
      v128.store(to, lowHalves(zipLow(z, across), zipLow(along, word)));
      v128.store(to, highHalves(zipLow(z, across), zipLow(along, word)), 16);
      v128.store(to, lowHalves(zipHigh(z, across), zipHigh(along, word)), 32);
      v128.store(to, highHalves(zipHigh(z, across), zipHigh(along, word)), 48);
      at += 8;
      to += 64;
      ray += 16;
      x += 4;
    } while (x < width);
  }
}

/** The depths of four neighbouring pixels. */
function depths(at: usize): v128 {
  return f32x4.convert_i32x4_s(v128.load_ext<u16>(at));
}

function isStraight(before: v128, d: v128, after: v128, bend: v128): v128 {
  const hasBoth = v128.and(f32x4.gt(before, all(0)), f32x4.gt(after, all(0)));
  return v128.and(hasBoth, f32x4.le(abs(sub(add(before, after), add(d, d))), bend));
}

function slope(before: v128, d: v128, after: v128, bend: v128): v128 {
  const back = choose(f32x4.gt(before, all(0)), sub(d, before), all(Infinity));
  const on = choose(f32x4.gt(after, all(0)), sub(after, d), all(Infinity));
  const least = choose(f32x4.lt(abs(back), abs(on)), back, on);
  return v128.and(f32x4.lt(abs(least), bend), least);
}
