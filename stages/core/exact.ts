// Quotients and roots with the same bits on every device: the twin of shaders/core/exact.wgsl, whose comments explain the method.
// Products, sums and differences need nothing but `Math.fround`.

import { FIRST_RECIPROCAL, FIRST_ROOT } from "./firstGuesses.ts";

const { fround } = Math;
/** A float and its bits, in one place: what is written here is read in the next line, and kept no longer. */
const value = new Float32Array(1);
const bits = new Uint32Array(value.buffer);

/** 1 / x for x > 0 to a quarter of a percent, for weights. */
export function nearlyReciprocal(x: number): number {
  value[0] = x;
  bits[0] = FIRST_RECIPROCAL - bits[0];
  return fround(value[0] * fround(2 - fround(x * value[0])));
}

/** 1 / x, at most two units of the last place off. */
export function reciprocal(x: number): number {
  const size = Math.abs(x);
  let y = nearlyReciprocal(size);
  for (let i = 0; i < 2; i++) y = fround(y * fround(2 - fround(size * y)));
  return x < 0 ? -y : y;
}

export const over = (a: number, b: number): number => fround(a * reciprocal(b));

/** 1 / √x. */
export function inverseRoot(x: number): number {
  value[0] = x;
  bits[0] = FIRST_ROOT - (bits[0] >>> 1);
  let y = value[0];
  for (let i = 0; i < 3; i++) y = fround(y * fround(1.5 - fround(fround(0.5 * x) * fround(y * y))));
  return y;
}

export const root = (x: number): number => fround(x * inverseRoot(x));
