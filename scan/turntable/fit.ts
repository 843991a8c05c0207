import type { TurnLook } from "./apart.ts";
import { type Axis, across, nudged, turnAbout } from "./axis.ts";
import type { Bumps } from "./bumps.ts";
import { Equations, LEAST, partnersOf, ROW } from "./equations.ts";

/** How a thing turned, look by look. */
export interface Turns {
  readonly axis: Axis;
  /** For each look the angle by which the thing has turned since the first look, radians. */
  readonly angles: Float64Array;
}

/** Each look is aligned with the look before it, and with one earlier look for each of these angles of turn between the two, radians. */
const GAPS = [0.14, 0.35, 0.7, 1.2];
/** Looks of different rounds are aligned if their angles, but for whole rounds, differ by less than this, radians. */
const BACK = 0.4;
/** Errors of neighbouring pixels are alike: an alignment counts as WORTH independent ones, and noise is taken as NOISE_M, m, at least. */
const WORTH = 100;
const NOISE_M = 0.003;
/** An alignment counts if it explains this share of a look. */
const SHARE = 0.3;
/**
 * Errors add up along a chain of alignments; an alignment with a look of an earlier round has one error, and weighs this many times more.
 */
const ROUND = 4;
/**
 * The expected change of the angle from one step to the next, as a share of a step, before the frames have shown it; and the least
 * change that is expected, radians.
 */
const UNEVEN = 0.5;
const LEAST_UNEVEN = 0.0001;
/** The weights of three angles in a row in the change from one step to the next. */
const BEND = [1, -2, 1];
/** How evenly a thing turns is judged by means of this many looks in a row. */
const RUN = 8;

/** The numbers of an earlier and of a later look. */
type Pair = readonly [number, number];

/** The pairs of looks to compare, by the angles that are thought to be theirs. */
export function pairsOf(angles: Float64Array): Pair[] {
  const pairs: Pair[] = [];
  for (let to = 1; to < angles.length; to++) {
    const partners = new Set([to - 1]);
    for (const gap of GAPS) {
      let from = to - 1;
      while (from > 0 && angles[to] - angles[from] < gap) from--;
      if (angles[to] - angles[from] < 2 * gap) partners.add(from);
    }
    for (let round = 1; angles[to] - 2 * Math.PI * round > -BACK; round++) {
      const there = angles[to] - 2 * Math.PI * round;
      for (const at of [there - 0.2, there, there + 0.2]) {
        const from = nearest(angles, at);
        if (from < to && Math.abs(angles[from] - there) < BACK) partners.add(from);
      }
    }
    for (const from of partners) pairs.push([from, to]);
  }
  return pairs;
}

/** The look whose angle is nearest. */
function nearest(angles: Float64Array, angle: number): number {
  let best = 0;
  for (const [i, at] of angles.entries()) if (Math.abs(at - angle) < Math.abs(angles[best] - angle)) best = i;
  return best;
}

/** What a fit found, and how well. */
export interface Fit extends Turns {
  /** How many pairs of looks from different rounds fitted. */
  readonly loops: number;
  /**
   * How unevenly the thing turns: the standard deviation of the difference between one turn from look to look and the turn before, radians.
   * Its square is the expected one, given the angles and their variances (the method of Dempster, Laird and Rubin 1977, EM), so that
   * repeated fits find it.
   */
  readonly uneven: number;
  /** The standard deviation of each look's angle as one other look shows it, radians: `Infinity` for a look that fits no other one. */
  readonly unsure: Float64Array;
}

/** Fits the axis and all angles at once to all pairs: one step of Gauss and Newton's method. `undefined` where nothing determines them. */
export function fitOnce(
  looks: readonly TurnLook[],
  { axis, angles }: Turns,
  reach: number,
  uneven = (UNEVEN * angles[angles.length - 1]) / angles.length,
  bumps?: Bumps,
): Fit | undefined {
  const first = 4 + looks.length;
  const equations = new Equations(first + (bumps?.errors.length ?? 0));
  const shown = new Float64Array(looks.length);
  const grow = new Float64Array(bumps ? 14 : 6);
  const at = new Int32Array(grow.length);
  let loops = 0;
  for (const [from, to] of pairsOf(angles)) {
    const angle = angles[to] - angles[from];
    const rows = partnersOf(looks[from], looks[to], turnAbout(axis, angle), reach, axis.point, bumps);
    const { count } = looks[from];
    if (rows.length < Math.max(LEAST, SHARE * count) * ROW) continue;
    const isLoop = angle > Math.PI;
    if (isLoop) loops++;
    const worth = WORTH / (count * NOISE_M ** 2);
    const columns = columnsOf(axis, angle);
    at.set([0, 1, 2, 3, 4 + to, 4 + from]);
    let information = 0;
    for (let k = 0; k < rows.length; k += ROW) {
      for (let c = 0; c < 5; c++) {
        grow[c] = 0;
        for (let r = 0; r < 6; r++) grow[c] += columns[6 * c + r] * rows[k + r];
      }
      grow[5] = -grow[4];
      for (let s = 0; bumps && s < 8; s++) {
        const knot = 4 * rows[k + 8 + (s >> 2)] + (s & 3);
        at[6 + s] = first + bumps.knots[knot];
        grow[6 + s] = rows[k + 10 + (s >> 2)] * bumps.shares[knot];
      }
      const weight = worth * rows[k + 7];
      information += weight * grow[4] ** 2;
      equations.add(at, grow, rows[k + 6], isLoop ? ROUND * weight : weight);
    }
    for (const look of [from, to]) shown[look] = Math.max(shown[look], information);
  }
  // The first look's angle stays 0.
  equations.add([4], [1], 0, 1e12);
  const even = 1 / Math.max(uneven, LEAST_UNEVEN) ** 2;
  for (let i = 1; i + 1 < looks.length; i++)
    equations.add([3 + i, 4 + i, 5 + i], BEND, 2 * angles[i] - angles[i - 1] - angles[i + 1], even);
  bumps?.expect(equations, first);
  const step = equations.solved();
  if (!step) return undefined;
  const turned = angles.map((angle, i) => angle + step[4 + i]);
  let bends = 0;
  for (let i = 1; i + 1 < looks.length; i++)
    bends += (turned[i - 1] - 2 * turned[i] + turned[i + 1]) ** 2 + equations.varianceOf([3 + i, 4 + i, 5 + i], BEND);
  for (const k of bumps?.errors.keys() ?? []) if (bumps) bumps.errors[k] += step[first + k];
  return {
    axis: nudged(axis, step),
    angles: turned,
    loops,
    uneven: Math.sqrt(bends / (looks.length - 2)),
    unsure: shown.map((information) => 1 / Math.sqrt(information)),
  };
}

/** How a motion, which is a shift and a turn, changes with the axis' tilt, with the axis' shift, and with the angle: 5 × 6. */
function columnsOf({ along }: Axis, angle: number): Float64Array {
  const [a, b] = across(along);
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [left, up] = [a.map((x, k) => x - c * x - s * b[k]), b.map((x, k) => x - c * x + s * a[k])];
  const columns = new Float64Array(30);
  for (const [c, at, part] of [
    [0, 3, left],
    [1, 3, up],
    [2, 0, left],
    [3, 0, up],
    [4, 3, along],
  ] as const)
    columns.set(part, 6 * c + at);
  return columns;
}

/**
 * How unevenly a thing turns, radians: the standard deviation of the change of the angle per look from one look to the next. The means of
 * a few looks in a row show it, in which each look's own error hardly counts. `undefined` for too few looks.
 */
export function unevennessOf(angles: Float64Array): number | undefined {
  const means = Array.from({ length: angles.length - RUN + 1 }, (_, i) => {
    return angles.subarray(i, i + RUN).reduce((sum, angle) => sum + angle, 0) / RUN;
  });
  const bends = means.slice(2 * RUN).map((last, i) => (means[i] - 2 * means[i + RUN] + last) ** 2);
  if (bends.length < RUN) return undefined;
  // A walk of such steps bends by this much over two runs.
  return Math.sqrt(bends.reduce((sum, bend) => sum + bend, 0) / bends.length / (0.55 * RUN ** 3));
}
