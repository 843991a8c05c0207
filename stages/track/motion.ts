import type { Rigid } from "../../core/pose.ts";
import { inverseRoot } from "../core/exact.ts";

// Motions in f32, operation by operation as shaders/track/motion.wgsl has them: each result is rounded, so that all devices agree.

const { fround } = Math;

/** a · x + b · y + c · z. */
export const dot = (a: number, b: number, c: number, x: number, y: number, z: number): number =>
  fround(fround(fround(a * x) + fround(b * y)) + fround(c * z));

/** Writes a · b: first b, then a. `out` may be neither of them. */
export function compose(out: Rigid, a: Rigid, b: Rigid): Rigid {
  for (let i = 0; i < 12; i += 4) {
    for (let j = 0; j < 4; j++) out[i + j] = dot(a[i], a[i + 1], a[i + 2], b[j], b[4 + j], b[8 + j]);
    out[i + 3] = fround(out[i + 3] + a[i + 3]);
  }
  return out;
}

/** Writes the inverse of `a`. `out` may not be `a`. */
export function inverse(out: Rigid, a: Rigid): Rigid {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) out[4 * i + j] = a[4 * j + i];
    out[4 * i + 3] = -dot(a[i], a[4 + i], a[8 + i], a[3], a[7], a[11]);
  }
  return out;
}

function makeUnit(a: Rigid, at: number): void {
  const per = inverseRoot(dot(a[at], a[at + 1], a[at + 2], a[at], a[at + 1], a[at + 2]));
  for (let j = at; j < at + 3; j++) a[j] = fround(a[j] * per);
}

/**
 * Makes the turn's rows unit vectors at right angles again (Gram and Schmidt). Every pose that is kept for the next frame needs this:
 * `inverse` takes the transposed turn for the inverse, so rounding errors would double with each frame of a chain of motions.
 */
export function straighten(a: Rigid): Rigid {
  makeUnit(a, 0);
  const along = dot(a[4], a[5], a[6], a[0], a[1], a[2]);
  for (let j = 0; j < 3; j++) a[4 + j] = fround(a[4 + j] - fround(along * a[j]));
  makeUnit(a, 4);
  for (let j = 0; j < 3; j++) {
    const [k, l] = [(j + 1) % 3, (j + 2) % 3];
    a[8 + j] = fround(fround(a[k] * a[4 + l]) - fround(a[l] * a[4 + k]));
  }
  return a;
}
