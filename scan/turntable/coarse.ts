import { pointAt, type Vec3 } from "../../core/geometry.ts";
import { compose, type Rigid, rigid, straighten } from "../../core/pose.ts";
import { stepped } from "../place/icp.ts";
import { type Axis, axisOf } from "./axis.ts";
import { equationsOf, solved } from "./equations.ts";
import type { TurnLook } from "./turnLook.ts";

/** At most so many pairs of looks are aligned together. */
const PAIRS = 48;
/** How far partners may be apart, m, from iteration to iteration. */
const REACHES = [0.04, 0.04, 0.04, 0.03, 0.03, 0.02, 0.02, 0.02];
/** Looks are compared with ever later ones, until what turns has turned by this angle between them, radians. */
const ENOUGH = 0.14;
/** One look in a pair has at least so many partners in the other. */
export const LEAST = 80;

/** An even turning. */
export interface Turning {
  readonly axis: Axis;
  /** The angle by which the thing turns from each look to the next one, radians. */
  readonly step: number;
}

/**
 * Finds about which axis a thing turns, and how fast, as if it turned evenly: one motion that leads from each look to the one that is some
 * looks later, by the equations of all these pairs together. Noise of 4 mm hides the motion of a single pair, but not that of 50.
 * `undefined` where nothing turns.
 */
export function coarseTurning(looks: readonly TurnLook[]): Turning | undefined {
  const middle = middleOf(looks);
  let motion = rigid();
  let found: Turning | undefined;
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
    const [matrix, right] = [new Float64Array(36), new Float64Array(6)];
    for (let i = 0; i + later < looks.length; i += every) {
      const pair = equationsOf(looks[i], looks[i + later], motion, reach, middle);
      if (pair.count < LEAST) continue;
      for (let k = 0; k < 36; k++) matrix[k] += pair.matrix[k];
      for (let k = 0; k < 6; k++) right[k] += pair.right[k];
    }
    const step = solved(matrix, right);
    if (!step) return undefined;
    motion = stepped(motion, step, middle);
  }
  return motion;
}

/** The mean of all points. */
export function middleOf(looks: readonly TurnLook[]): Vec3 {
  let [x, y, z, count] = [0, 0, 0, 0];
  for (const { depths, lens, across } of looks) {
    for (const [i, depth] of depths.entries()) {
      if (depth === 0) continue;
      const [atX, atY] = pointAt(lens, i % across, Math.floor(i / across), depth);
      x += atX;
      y += atY;
      z += depth;
      count++;
    }
  }
  return [x / count, y / count, z / count];
}
