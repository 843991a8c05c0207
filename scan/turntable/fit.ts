import { type Axis, across, nudged, turnAbout } from "./axis.ts";
import type { Bumps } from "./bumps.ts";
import { LEAST } from "./coarse.ts";
import { equationsOf, solved, type Take } from "./equations.ts";
import type { TurnLook } from "./turnLook.ts";

/** How a thing turned, look by look. */
export interface Turns {
  readonly axis: Axis;
  /** For each look the angle by which the thing has turned since the first look, radians. */
  readonly angles: Float64Array;
}

/** Each look is aligned with the look before, and with an earlier look about each of these angles back, radians. */
const GAPS = [0.14, 0.35, 0.7, 1.2];
/** Looks of different rounds are aligned if their angles, but for whole rounds, differ by less than this, radians. */
const BACK = 0.4;
/** An alignment counts as so many independent pixels, and noise is no less than this, m: the errors of neighbouring pixels are alike. */
const WORTH = 100;
const NOISE_M = 0.003;
/** An alignment counts if it explains this share of a look. */
const SHARE = 0.3;
/** Errors add up along a chain of alignments; an alignment with a look of an earlier round has one error, and weighs so many times more. */
const ROUND = 4;
/**
 * The expected change of the angle from one step to the next, as a share of a step, before the frames have shown it; and the least
 * change that is expected, radians.
 */
const UNEVEN = 0.5;
const LEAST_UNEVEN = 0.0001;
/** How evenly a thing turns is judged by means of so many looks in a row. */
const RUN = 8;

/** The numbers of an earlier and of a later look. */
type Pair = readonly [number, number];

/** Which looks are compared, by where they are thought to be. */
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
  const n = first + (bumps?.errors.length ?? 0);
  const crossed = new Float64Array(6 * (n - first));
  const [at, grow] = [new Int32Array(8), new Float64Array(8)];
  const [matrix, right] = [new Float64Array(n * n), new Float64Array(n)];
  const [a, b] = across(axis.along);
  const shown = new Float64Array(looks.length);
  let loops = 0;
  for (const [from, to] of pairsOf(angles)) {
    const angle = angles[to] - angles[from];
    const isLoop = angle > Math.PI;
    const worth = ((isLoop ? ROUND : 1) * WORTH) / (looks[from].count * NOISE_M ** 2);
    crossed.fill(0);
    const take: Take = (pixel, partner, growFrom, growTo, row, off, weight) => {
      if (!bumps) return;
      for (let k = 0; k < 4; k++) {
        at[k] = bumps.knots[4 * pixel + k];
        grow[k] = growFrom * bumps.shares[4 * pixel + k];
        at[4 + k] = bumps.knots[4 * partner + k];
        grow[4 + k] = growTo * bumps.shares[4 * partner + k];
      }
      for (let a = 0; a < 8; a++) {
        const times = worth * weight * grow[a];
        const line = n * (first + at[a]) + first;
        for (let b = 0; b < 8; b++) matrix[line + at[b]] += times * grow[b];
        right[first + at[a]] += times * off;
        for (let k = 0; k < 6; k++) crossed[6 * at[a] + k] += times * row[k];
      }
    };
    const motion = turnAbout(axis, angle);
    const pair = equationsOf(looks[from], looks[to], motion, reach, axis.point, bumps);
    if (pair.count < LEAST || pair.share < SHARE) continue;
    // Only now, since the bumps of a pair that does not count are not to count either.
    if (bumps) equationsOf(looks[from], looks[to], motion, reach, axis.point, bumps, take);
    if (isLoop) loops++;
    // How the motion changes with each unknown: the axis' tilt and shift (by what the turn does not turn), and the angle.
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const [left, up] = [a.map((x, k) => x - c * x - s * b[k]), b.map((x, k) => x - c * x + s * a[k])];
    const still = [0, 0, 0];
    const columns = [
      [...still, ...left],
      [...still, ...up],
      [...left, ...still],
      [...up, ...still],
    ];
    const along = [...still, ...axis.along];
    const times = (column: readonly number[]) =>
      Float64Array.from({ length: 6 }, (_, r) => column.reduce((sum, x, k) => sum + x * pair.matrix[6 * r + k], 0));
    const by = (column: readonly number[], other: ArrayLike<number>) =>
      worth * column.reduce((sum, x, k) => sum + x * other[k], 0);
    const unknowns: [number, readonly number[]][] = columns.map((column, k) => [k, column]);
    unknowns.push([4 + to, along], [4 + from, along.map((x) => -x)]);
    for (const [i, column] of unknowns) {
      const row = times(column);
      right[i] += by(column, pair.right);
      for (const [j, other] of unknowns) matrix[n * i + j] += by(other, row);
      for (let cell = 0; cell < n - first; cell++) {
        let sum = 0;
        for (let k = 0; k < 6; k++) sum += column[k] * crossed[6 * cell + k];
        matrix[n * i + first + cell] += sum;
        matrix[n * (first + cell) + i] += sum;
      }
    }
    const information = by(along, times(along));
    for (const look of [from, to]) shown[look] = Math.max(shown[look], information / (isLoop ? ROUND : 1));
  }
  // The first look's angle stays 0.
  matrix[n * 4 + 4] += 1e12;
  const even = 1 / Math.max(uneven, LEAST_UNEVEN) ** 2;
  for (let i = 1; i + 1 < looks.length; i++) {
    const bend = [1, -2, 1];
    const off = angles[i - 1] - 2 * angles[i] + angles[i + 1];
    for (const [k, x] of bend.entries()) {
      right[3 + i + k] -= even * x * off;
      for (const [l, y] of bend.entries()) matrix[n * (3 + i + k) + 3 + i + l] += even * x * y;
    }
  }
  bumps?.expect(matrix, right, n, first);
  const step = solved(matrix, right);
  if (!step) return undefined;
  for (let k = first; k < n; k++) if (bumps) bumps.errors[k - first] += step[k];
  return {
    axis: nudged(axis, step),
    angles: angles.map((angle, i) => angle + step[4 + i]),
    loops,
    unsure: shown.map((information) => 1 / Math.sqrt(information)),
  };
}

/**
 * How unevenly a thing turns: the standard deviation by which the angle from look to look differs from that before, radians. The means of
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
