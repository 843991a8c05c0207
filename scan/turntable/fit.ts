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

/** Two looks are aligned if they are turned by a multiple of `GAP`, radians, between `NEAREST` and `FARTHEST`, rounds left out. */
const GAP = 0.07;
const NEAREST = 2;
const FARTHEST = 17;
/** Without bumps this share of the pairs is enough. */
const COARSE = 4;
/** Errors of neighbouring pixels are alike: a look counts as WORTH independent ones; its noise is LEAST_NOISE_M, m, at least. */
const WORTH = 32;
const LEAST_NOISE_M = 0.0005;
/** An alignment counts if it explains this share of a look. */
const SHARE = 0.3;
/**
 * The expected change of the angle from one step to the next, as a share of a step, before the frames have shown it; and the least
 * change that is tried, radians.
 */
const UNEVEN = 0.5;
const LEAST_UNEVEN = 0.00001;
/** The weights of three angles in a row in the change from one step to the next. */
const BEND = [1, -2, 1];

/** The numbers of an earlier and of a later look. */
type Pair = readonly [number, number];

/** The pairs of looks to compare, by the angles that are thought to be theirs: those of each `every`th multiple of `GAP`. */
export function pairsOf(angles: Float64Array, every = 1): Pair[] {
  const pairs: Pair[] = [];
  for (let to = 1; to < angles.length; to++) {
    const partners = new Set<number>();
    for (let rounds = 0; angles[to] - rounds > -GAP * FARTHEST; rounds += 2 * Math.PI) {
      for (let gap = NEAREST; gap <= FARTHEST; gap += every) {
        for (const side of rounds > 0 ? [-GAP, GAP] : [-GAP]) {
          const there = angles[to] - rounds + side * gap;
          const from = nearest(angles, there);
          if (from < to && Math.abs(angles[from] - there) < 0.57 * GAP * every) partners.add(from);
        }
      }
    }
    if (partners.size === 0) partners.add(to - 1);
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
  /** For each look, the standard deviation of its angle, radians, as one other look gives it; `Infinity` if it fits no other look. */
  readonly unsure: Float64Array;
}

/** Fits the axis and all angles at once to all pairs: one step of Gauss and Newton's method. `undefined` where nothing determines them. */
export function fitOnce(
  looks: readonly TurnLook[],
  { axis, angles }: Turns,
  reach: number,
  bumps?: Bumps,
): Fit | undefined {
  const knots = bumps?.errors.length ?? 0;
  const [shape, turn] = [knots, knots + 4];
  const equations = new Equations(turn + looks.length);
  const shown = new Float64Array(looks.length);
  const grow = new Float64Array(bumps ? 14 : 6);
  const at = new Int32Array(grow.length);
  let loops = 0;
  let [squares, weights] = [0, 0];
  const pairs = pairsOf(angles, bumps ? 1 : COARSE);
  // A look's own error is in all its pairs, so that a pair counts as this share of a look.
  const degree = (2 * pairs.length) / looks.length;
  for (const [from, to] of pairs) {
    const angle = angles[to] - angles[from];
    const rows = partnersOf(looks[from], looks[to], turnAbout(axis, angle), reach, axis.point, bumps);
    const { count } = looks[from];
    if (rows.length < Math.max(LEAST, SHARE * count) * ROW) continue;
    const isLoop = angle > Math.PI;
    if (isLoop) loops++;
    const worth = WORTH / count;
    const columns = columnsOf(axis, angle);
    at.set([shape, shape + 1, shape + 2, shape + 3, turn + to, turn + from]);
    let information = 0;
    for (let k = 0; k < rows.length; k += ROW) {
      for (let c = 0; c < 5; c++) {
        grow[c] = 0;
        for (let r = 0; r < 6; r++) grow[c] += columns[6 * c + r] * rows[k + r];
      }
      grow[5] = -grow[4];
      for (let s = 0; bumps && s < 8; s++) {
        const knot = 4 * rows[k + 8 + (s >> 2)] + (s & 3);
        at[6 + s] = bumps.knots[knot];
        grow[6 + s] = rows[k + 10 + (s >> 2)] * bumps.shares[knot];
      }
      const weight = worth * rows[k + 7];
      information += weight * grow[4] ** 2;
      squares += weight * rows[k + 6] ** 2;
      weights += weight;
      equations.add(at, grow, rows[k + 6], weight / degree);
    }
    for (const look of [from, to]) shown[look] = Math.max(shown[look], information);
  }
  // Both looks of a pair have noise.
  const noise = Math.max(squares / weights / 2, LEAST_NOISE_M ** 2);
  equations.divide(noise);
  // The first look's angle stays 0.
  equations.add([turn], [1], 0, 1e12);
  bumps?.expect(equations, 0);
  const most = Math.max((UNEVEN * angles[angles.length - 1]) / angles.length, LEAST_UNEVEN);
  expectEven(equations, angles, bumps ? evenness(equations.without(knots), angles, most) : most);
  const step = equations.solved();
  if (!step) return undefined;
  for (const k of bumps?.errors.keys() ?? []) if (bumps) bumps.errors[k] += step[k];
  return {
    axis: nudged(axis, step.subarray(shape)),
    angles: angles.map((angle, i) => angle + step[turn + i]),
    loops,
    unsure: shown.map((information) => Math.sqrt(noise / information)),
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

/** Adds to the equations, whose last unknowns are changes of the angles, that the thing turns evenly. */
function expectEven(equations: Equations, angles: Float64Array, uneven: number): void {
  const first = equations.n - angles.length;
  for (let i = 2; i < angles.length; i++)
    equations.add(
      [first + i - 2, first + i - 1, first + i],
      BEND,
      2 * angles[i - 1] - angles[i - 2] - angles[i],
      1 / uneven ** 2,
    );
}

/** The unevenness for which the frames are likeliest: the maximum of the evidence (MacKay 1992). */
function evenness(equations: Equations, angles: Float64Array, most: number): number {
  let best = most;
  let least = Infinity;
  for (let uneven = most; uneven >= LEAST_UNEVEN; uneven /= 2) {
    const copy = equations.copy();
    expectEven(copy, angles, uneven);
    const right = copy.right.slice();
    const step = copy.solved();
    if (!step) continue;
    let cost = 2 * (angles.length - 2) * Math.log(uneven);
    for (let i = 2; i < angles.length; i++) cost += ((angles[i] - 2 * angles[i - 1] + angles[i - 2]) / uneven) ** 2;
    for (let i = 0; i < copy.n; i++) cost += 2 * Math.log(copy.matrix[(copy.n + 1) * i]) - right[i] * step[i];
    if (cost >= least) continue;
    least = cost;
    best = uneven;
  }
  return best;
}
