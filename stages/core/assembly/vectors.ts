/**
 * Operations on four f32, named as the twins name them for one number, so that kernel and twin read alike. Each is one instruction, but for
 * `reciprocal` and `inverseRoot`.
 */

import { FIRST_RECIPROCAL, FIRST_ROOT } from "../firstGuesses.ts";

export function add(a: v128, b: v128): v128 {
  return f32x4.add(a, b);
}

export function sub(a: v128, b: v128): v128 {
  return f32x4.sub(a, b);
}

export function mul(a: v128, b: v128): v128 {
  return f32x4.mul(a, b);
}

export function div(a: v128, b: v128): v128 {
  return f32x4.div(a, b);
}

export function neg(a: v128): v128 {
  return f32x4.neg(a);
}

export function abs(a: v128): v128 {
  return f32x4.abs(a);
}

export function sqrt(a: v128): v128 {
  return f32x4.sqrt(a);
}

/** 1 / a for a > 0 to a quarter of a percent, for weights; with the same bits on every device (shaders/core/exact.wgsl). */
export function nearlyReciprocal(a: v128): v128 {
  const y = i32x4.sub(i32x4.splat(FIRST_RECIPROCAL), a);
  return mul(y, sub(all(2), mul(a, y)));
}

/** 1 / a for a > 0, likewise, at most two units of the last place off. */
export function reciprocal(a: v128): v128 {
  let y = nearlyReciprocal(a);
  for (let i = 0; i < 2; i++) y = mul(y, sub(all(2), mul(a, y)));
  return y;
}

/** 1 / √a for a > 0, likewise. */
export function inverseRoot(a: v128): v128 {
  const half = mul(all(0.5), a);
  let y = i32x4.sub(i32x4.splat(FIRST_ROOT), i32x4.shr_u(a, 1));
  for (let i = 0; i < 3; i++) y = mul(y, sub(all(1.5), mul(half, mul(y, y))));
  return y;
}

/** The minimum; `a` where either is NaN. */
export function less(a: v128, b: v128): v128 {
  return f32x4.pmin(a, b);
}

/** The maximum; `a` where either is NaN. */
export function more(a: v128, b: v128): v128 {
  return f32x4.pmax(a, b);
}

/** A constant in all four lanes. For a value that is an `f32` already, use `f32x4.splat`. */
export function all(a: f64): v128 {
  return f32x4.splat(<f32>a);
}

/** `a` in the lanes where `mask` is all ones, `b` where it is 0. */
export function choose(mask: v128, a: v128, b: v128): v128 {
  return v128.bitselect(a, b, mask);
}

/** Truncates to i32; saturates beyond the range of i32; NaN becomes 0. */
export function whole(a: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(a);
}

/*
 * Four rows of four into four columns and back:
 *
 *   a0 a1 a2 a3      zipLow(a, b)  = a0 b0 a1 b1      lowHalves(zipLow(a, b), zipLow(c, d))  = a0 b0 c0 d0
 *   b0 b1 b2 b3      zipHigh(a, b) = a2 b2 a3 b3      highHalves(zipLow(a, b), zipLow(c, d)) = a1 b1 c1 d1
 *   …                                                 …
 */
export function zipLow(a: v128, b: v128): v128 {
  return v128.shuffle<u32>(a, b, 0, 4, 1, 5);
}

export function zipHigh(a: v128, b: v128): v128 {
  return v128.shuffle<u32>(a, b, 2, 6, 3, 7);
}

export function lowHalves(a: v128, b: v128): v128 {
  return v128.shuffle<u64>(a, b, 0, 2);
}

export function highHalves(a: v128, b: v128): v128 {
  return v128.shuffle<u64>(a, b, 1, 3);
}

/** The lanes rotated by one: 1, 2, 3, 0. */
export function turned(a: v128): v128 {
  return v128.shuffle<u32>(a, a, 1, 2, 3, 0);
}

/**
 * `constant`, stored to 16 free bytes at `at` and loaded again. V8 materialises a constant vector anew wherever a branch in a loop uses it;
 * a loaded vector stays in a register.
 */
export function kept(constant: v128, at: usize): v128 {
  v128.store(at, constant);
  return v128.load(at);
}
