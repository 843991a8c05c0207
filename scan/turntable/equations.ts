import type { Vec3 } from "../../core/geometry.ts";
import { solvedSymmetric } from "../../core/matrix.ts";
import { compose, type Rigid, rigid, straighten } from "../../core/pose.ts";
import { eachPartner, stepped } from "../place/icp.ts";
import { eachPoint, type TurnLook } from "./apart.ts";
import { type Axis, axisOf } from "./axis.ts";

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
      // The lower triangle is enough.
      for (let b = 0; b < at.length; b++) if (at[b] <= at[a]) matrix[line + at[b]] += times * shares[b];
    }
  }

  /** The unknowns; `undefined` where the equations leave them open. */
  solved(): Float64Array | undefined {
    return solvedSymmetric(this.matrix, this.right);
  }

  /** Lowers all weights. */
  divide(by: number): void {
    for (const numbers of [this.matrix, this.right]) for (let i = 0; i < numbers.length; i++) numbers[i] /= by;
  }

  copy(): Equations {
    const copy = new Equations(this.n);
    copy.matrix.set(this.matrix);
    copy.right.set(this.right);
    return copy;
  }

  /** The equations of the unknowns from `count` on, in which the ones before take their best values. */
  without(count: number): Equations {
    const { n } = this;
    const { matrix, right } = this.copy();
    for (let k = 0; k < count; k++) {
      for (let i = k + 1; i < n; i++) {
        const times = matrix[n * i + k] / matrix[n * k + k];
        if (times === 0) continue;
        for (let j = k + 1; j <= i; j++) matrix[n * i + j] -= times * matrix[n * j + k];
        right[i] -= times * right[k];
      }
    }
    const rest = new Equations(n - count);
    for (let i = 0; i < rest.n; i++)
      rest.matrix.set(matrix.subarray(n * (count + i) + count, n * (count + i + 1)), rest.n * i);
    rest.right.set(right.subarray(count));
    return rest;
  }
}

/** How many numbers `partnersOf` gives for each pixel that has a partner; it says which ones. */
export const ROW = 12;

let scratch = new Float64Array(0);

/** Tells a pixel's error of inverse depth, 1/m. */
interface Errors {
  at(pixel: number): number;
}

/**
 * Finds the partners of a look's pixels that are nearer than `reach`, m. For each it gives `ROW` numbers: how its distance along the
 * partner's normal shrinks by a shift, m, and by a turn about the point `about`, radians (six numbers); that distance, m; its weight
 * (Tukey's biweight); the pixel and the partner's pixel; and how the distance grows with the bump at each of the two.
 * The next call writes over what this one returned.
 */
export function partnersOf(look: TurnLook, to: TurnLook, motion: Rigid, reach: number, about: Vec3, bumps?: Errors) {
  if (scratch.length < ROW * look.count) scratch = new Float64Array(ROW * look.count);
  const rows = scratch;
  let end = 0;
  eachPartner(look, to, motion, reach, about, (row, apart, pixel, place, partner) => {
    const x = place[0];
    const y = place[1];
    const z = place[2];
    const growTo = (row[0] * x + row[1] * y + row[2] * z) * z;
    const growFrom =
      -(row[0] * (x - motion[3]) + row[1] * (y - motion[7]) + row[2] * (z - motion[11])) * look.depths[pixel];
    const off = bumps ? apart - growTo * bumps.at(partner) - growFrom * bumps.at(pixel) : apart;
    const far = off / reach;
    if (far * far >= 1) return;
    rows.set(row, end);
    rows[end + 6] = off;
    rows[end + 7] = (1 - far * far) ** 2;
    rows[end + 8] = pixel;
    rows[end + 9] = partner;
    rows[end + 10] = growFrom;
    rows[end + 11] = growTo;
    end += ROW;
  });
  return rows.subarray(0, end);
}

const SIX = Int32Array.of(0, 1, 2, 3, 4, 5);
/** The most pairs of looks that are aligned together. */
const PAIRS = 48;
/** How far partners may be apart, m, from iteration to iteration. */
const REACHES = [0.04, 0.04, 0.04, 0.03, 0.03, 0.02, 0.02, 0.02];
/** Looks are compared with ever later ones, until what turns has turned by this angle between them, radians. */
const ENOUGH = 0.14;
/** Two looks make a pair if at least this many points of the first look have a partner in the second. */
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
    const row = new Float64Array(6);
    for (let i = 0; i + later < looks.length; i += every) {
      const rows = partnersOf(looks[i], looks[i + later], motion, reach, middle);
      if (rows.length < LEAST * ROW) continue;
      for (let k = 0; k < rows.length; k += ROW) {
        for (let r = 0; r < 6; r++) row[r] = rows[k + r];
        equations.add(SIX, row, rows[k + 6], rows[k + 7]);
      }
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
  for (const look of looks)
    eachPoint(look, (_, ...point) => {
      for (let k = 0; k < 3; k++) sum[k] += point[k];
      count++;
    });
  return [sum[0] / count, sum[1] / count, sum[2] / count];
}
