import type { Vec3 } from "../../core/geometry.ts";
import { solvedSymmetric } from "../../core/matrix.ts";
import { compose, type Rigid, rigid, straighten } from "../../core/pose.ts";
import { eachPartner, stepped } from "../place/icp.ts";
import { pointsOf, type TurnLook } from "./apart.ts";
import { type Axis, axisOf } from "./axis.ts";
import type { Bumps } from "./bumps.ts";

/** The weighted normal equations of `n` unknowns. */
export class Equations {
  readonly n: number;
  readonly matrix: Float64Array;
  readonly right: Float64Array;

  constructor(n: number) {
    this.n = n;
    this.matrix = new Float64Array(n * n);
    this.right = new Float64Array(n);
  }

  /** Adds the equation Σ `shares`[k] · unknown `at`[k] = `value`. */
  add(at: ArrayLike<number>, shares: ArrayLike<number>, value: number, weight: number): void {
    const { n, matrix, right } = this;
    for (let a = 0; a < at.length; a++) {
      const times = weight * shares[a];
      const line = n * at[a];
      right[at[a]] += times * value;
      for (let b = 0; b < at.length; b++) matrix[line + at[b]] += times * shares[b];
    }
  }

  /** The unknowns; `undefined` where the equations leave them open. */
  solved(): Float64Array | undefined {
    return solvedSymmetric(this.matrix, this.right);
  }
}

/** So many numbers are told of each pixel that has a partner; which ones, `partnersOf` says. */
export const ROW = 12;

/**
 * Finds the partners of a look's pixels that are nearer than `reach`, m. For each it gives `ROW` numbers: how its distance along the partner's
 * normal shrinks by a shift, m, and by a turn about the point `about`, radians (six numbers); that distance, m; its weight (Tukey's
 * biweight); the pixel and the partner's pixel; and how the distance grows with the bump at each of the two.
 */
export function partnersOf(look: TurnLook, to: TurnLook, motion: Rigid, reach: number, about: Vec3, bumps?: Bumps) {
  const rows: number[] = [];
  eachPartner(look, to, motion, reach, about, (row, apart, pixel, x, y, z, partner) => {
    const [a, b, c, d, e, f] = row;
    const growTo = (a * x + b * y + c * z) * z;
    const growFrom = -(a * (x - motion[3]) + b * (y - motion[7]) + c * (z - motion[11])) * look.depths[pixel];
    const off = bumps ? apart - growTo * bumps.at(partner) - growFrom * bumps.at(pixel) : apart;
    const far = off / reach;
    if (far * far < 1) rows.push(a, b, c, d, e, f, off, (1 - far * far) ** 2, pixel, partner, growFrom, growTo);
  });
  return rows;
}

/** At most so many pairs of looks are aligned together. */
const PAIRS = 48;
/** How far partners may be apart, m, from iteration to iteration. */
const REACHES = [0.04, 0.04, 0.04, 0.03, 0.03, 0.02, 0.02, 0.02];
/** Looks are compared with ever later ones, until what turns has turned by this angle between them, radians. */
const ENOUGH = 0.14;
/** One look in a pair has at least so many partners in the other. */
export const LEAST = 80;

/**
 * Finds about which axis a thing turns, and by which angle from look to look, radians, as if it turned evenly: one motion leads from each
 * look to the one that is some looks later, by the equations of all these pairs together. Noise of 4 mm hides the motion of a single pair,
 * but not that of 50. `undefined` where nothing turns.
 */
export function evenTurning(looks: readonly TurnLook[]): { readonly axis: Axis; readonly step: number } | undefined {
  const middle = middleOf(looks);
  let motion = rigid();
  let found: ReturnType<typeof evenTurning>;
  for (let later = 1; later < looks.length / 2; later *= 2) {
    const refined = refine(looks, later, motion, middle);
    if (!refined) break;
    const { axis, angle } = axisOf(refined, middle);
    found = { axis, step: angle / later };
    if (angle > ENOUGH) break;
    motion = straighten(compose(rigid(), refined, refined));
  }
  return found;
}

function refine(looks: readonly TurnLook[], later: number, guess: Rigid, middle: Vec3): Rigid | undefined {
  const every = Math.max(1, Math.ceil((looks.length - later) / PAIRS));
  let motion = guess;
  for (const reach of REACHES) {
    const equations = new Equations(6);
    for (let i = 0; i + later < looks.length; i += every) {
      const rows = partnersOf(looks[i], looks[i + later], motion, reach, middle);
      if (rows.length < LEAST * ROW) continue;
      for (let k = 0; k < rows.length; k += ROW)
        equations.add([0, 1, 2, 3, 4, 5], rows.slice(k, k + 6), rows[k + 6], rows[k + 7]);
    }
    const step = equations.solved();
    if (!step) return undefined;
    motion = stepped(motion, step, middle);
  }
  return motion;
}

/** The mean of all points. */
function middleOf(looks: readonly TurnLook[]): Vec3 {
  const sum = [0, 0, 0];
  let count = 0;
  for (const look of looks) {
    for (const [, point] of pointsOf(look)) {
      for (const [k, x] of point.entries()) sum[k] += x;
      count++;
    }
  }
  return [sum[0] / count, sum[1] / count, sum[2] / count];
}
