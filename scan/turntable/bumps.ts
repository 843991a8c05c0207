import type { TurnLook } from "./apart.ts";
import type { Equations } from "./equations.ts";

/** Bumps are known at knots that are this many pixels of the small image apart, across and down. */
const APART = 4;
/** The standard deviation of a bump, and of the difference between bumps at adjacent knots, 1/m; times z² they are in metres. */
const SIGMA = 0.02;
const UNLIKE = 0.012;

/**
 * The errors of depth that stay where they are in the picture while a thing turns there, as stereo cameras and projectors have them:
 * what seems to stand would be taken for a slower turn. They are unknowns beside the motion, at the knots of a grid where the thing is.
 */
export class Bumps {
  /** The errors of inverse depth at the knots, 1/m. */
  readonly errors: Float64Array;
  /** For each pixel its four knots, and their shares. */
  readonly knots: Int32Array;
  readonly shares: Float64Array;
  readonly #pairs: (readonly [number, number])[] = [];

  constructor(looks: readonly TurnLook[]) {
    const [{ across, down }] = looks;
    const wide = Math.ceil(across / APART) + 1;
    const numbers = new Int32Array(wide * (Math.ceil(down / APART) + 1)).fill(-1);
    this.knots = new Int32Array(4 * across * down);
    this.shares = new Float64Array(4 * across * down);
    let count = 0;
    for (let i = 0; i < across * down; i++) {
      if (looks.every(({ normals }) => normals[3 * i + 2] === 0)) continue;
      const [x, y] = [(i % across) / APART, Math.floor(i / across) / APART];
      const [u, v] = [x % 1, y % 1];
      const at = wide * Math.floor(y) + Math.floor(x);
      for (const [k, knot] of [at, at + 1, at + wide, at + wide + 1].entries()) {
        if (numbers[knot] < 0) numbers[knot] = count++;
        this.knots[4 * i + k] = numbers[knot];
        this.shares[4 * i + k] = (k & 1 ? u : 1 - u) * (k & 2 ? v : 1 - v);
      }
    }
    for (const [at, knot] of numbers.entries())
      for (const next of [at % wide < wide - 1 ? at + 1 : -1, at + wide])
        if (knot >= 0 && numbers[next] >= 0) this.#pairs.push([knot, numbers[next]]);
    this.errors = new Float64Array(count);
  }

  /** The error of inverse depth of a pixel, 1/m. */
  at(pixel: number): number {
    const { knots, shares, errors } = this;
    let sum = 0;
    for (let k = 4 * pixel; k < 4 * pixel + 4; k++) sum += shares[k] * errors[knots[k]];
    return sum;
  }

  /** Adds SIGMA and UNLIKE to the equations as a prior. The unknowns from `first` on are changes of `errors`. */
  expect(equations: Equations, first: number): void {
    const { errors } = this;
    for (const [k, error] of errors.entries()) equations.add([first + k], [1], -error, 1 / SIGMA ** 2);
    for (const [a, b] of this.#pairs)
      equations.add([first + a, first + b], [1, -1], errors[b] - errors[a], 1 / UNLIKE ** 2);
  }
}
