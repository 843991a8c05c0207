/**
 * The pyramid of stages/track/pyramid.ts, four pixels at a time. Where a row's width is no multiple of four, the row's last vector overlaps
 * the one before.
 */
import { add, all, choose, div, less, mul } from "../../core/assembly/vectors.ts";
import { SURFACE } from "../layout.ts";

/** Farther than any depth. */
const NOTHING: f32 = 1e30;

/** Halves depth, `across` u16 to a row. */
export function halveDepth(source: usize, across: i32, scale: f32, sink: usize, width: i32, height: i32): void {
  const low = i32x4.splat(0xffff);
  for (let y = 0; y < height; y++) {
    const above = source + ((2 * y * across) << 1);
    const below = above + (across << 1);
    const row = sink + ((y * width) << 2);
    let x: i32 = 0;
    do {
      x = min(x, width - 4);
      const p = v128.load(above + (x << 2));
      const q = v128.load(below + (x << 2));
      const a = f32x4.convert_i32x4_s(v128.and(p, low));
      const b = f32x4.convert_i32x4_s(i32x4.shr_u(p, 16));
      const c = f32x4.convert_i32x4_s(v128.and(q, low));
      const d = f32x4.convert_i32x4_s(i32x4.shr_u(q, 16));
      v128.store(row + (x << 2), mul(meanOf(a, b, c, d), f32x4.splat(scale)));
      x += 4;
    } while (x < width);
  }
}

/** Halves a level, `across` f32 to a row. */
export function halve(source: usize, across: i32, sink: usize, width: i32, height: i32): void {
  for (let y = 0; y < height; y++) {
    const above = source + ((2 * y * across) << 2);
    const below = above + (across << 2);
    const row = sink + ((y * width) << 2);
    let x: i32 = 0;
    do {
      x = min(x, width - 4);
      const p = v128.load(above + (x << 3));
      const q = v128.load(above + (x << 3), 16);
      const r = v128.load(below + (x << 3));
      const s = v128.load(below + (x << 3), 16);
      const a = v128.shuffle<f32>(p, q, 0, 2, 4, 6);
      const b = v128.shuffle<f32>(p, q, 1, 3, 5, 7);
      const c = v128.shuffle<f32>(r, s, 0, 2, 4, 6);
      const d = v128.shuffle<f32>(r, s, 1, 3, 5, 7);
      v128.store(row + (x << 2), meanOf(a, b, c, d));
      x += 4;
    } while (x < width);
  }
}

/** The mean of the nearest of four depths and of those on the same surface; 0 if none is valid. */
function meanOf(a: v128, b: v128, c: v128, d: v128): v128 {
  const zero = all(0);
  const nothing = f32x4.splat(NOTHING);
  const farA = choose(f32x4.eq(a, zero), nothing, a);
  const farB = choose(f32x4.eq(b, zero), nothing, b);
  const farC = choose(f32x4.eq(c, zero), nothing, c);
  const farD = choose(f32x4.eq(d, zero), nothing, d);
  const least = less(less(farA, farB), less(farC, farD));
  const most = mul(least, all(1 + SURFACE));
  const keepA = f32x4.le(farA, most);
  const keepB = f32x4.le(farB, most);
  const keepC = f32x4.le(farC, most);
  const keepD = f32x4.le(farD, most);
  const one = all(1);
  const sum = add(add(add(v128.and(farA, keepA), v128.and(farB, keepB)), v128.and(farC, keepC)), v128.and(farD, keepD));
  const count = add(add(v128.and(one, keepA), v128.and(one, keepB)), add(v128.and(one, keepC), v128.and(one, keepD)));
  return v128.and(mul(sum, div(one, count)), f32x4.lt(least, nothing));
}
