import type { Vec3 } from "../../core/geometry.ts";
import { eigen } from "../../core/matrix.ts";
import { compose, invert, type Rigid, rigid, straighten, turned } from "../../core/pose.ts";
import { BIWEIGHT_CUT, HALF_WITHIN, medianOf } from "../robust.ts";
import { applied, type Common, eachRow, lightened, ORIGIN } from "./rows.ts";
import type { Sight } from "./sight.ts";

// The close fit solves one system of equations for the partners of both cameras.

/** The biweight's cut, in medians of the partners' distances, and the least cut, m. */
export const CUT = BIWEIGHT_CUT / HALF_WITHIN;
const LEAST_CUT_M = 0.001;
/** The fit ends after this many iterations, or after a step that is shorter than `STILL_M`. */
const ROUNDS = 20;
const STILL_M = 2e-6;
/** Directions that the equations determine less than this, as a share, are held. */
const HELD = 1e-4;
/** The fewest partners of a fit. */
const FEWEST = 400;
export const SIX = [0, 1, 2, 3, 4, 5] as const;

/** The motion after a shift of the middle and a turn about it. */
export function after({ middle, radius }: Common, motion: Rigid, step: readonly number[]): Rigid {
  const turn = turned([step[3] / radius, step[4] / radius, step[5] / radius]);
  const there = applied(turn, ...middle, 0);
  for (let k = 0; k < 3; k++) turn[4 * k + 3] = step[k] + middle[k] - there[k];
  return straighten(compose(rigid(), turn, motion));
}

export function commonOf(a: Sight, b: Sight, motion: Rigid, reach: number): Common | undefined {
  const places: Vec3[] = [];
  eachRow({ a, b, middle: ORIGIN, radius: 1 }, motion, reach, (_row, _off, place) => places.push(place));
  if (places.length < FEWEST) return undefined;
  const mean = (of: (place: Vec3) => number) => places.reduce((sum, place) => sum + of(place), 0) / places.length;
  const middle: Vec3 = [mean(([x]) => x), mean(([, y]) => y), mean(([, , z]) => z)];
  const radius = Math.sqrt(mean((place) => place.reduce((sum, value, k) => sum + (value - middle[k]) ** 2, 0)));
  return { a, b, middle, radius };
}

/** The angle between two turns, radians. */
export function turnBetween(p: Rigid, q: Rigid): number {
  const between = compose(rigid(), invert(rigid(), p), q);
  return Math.acos(Math.min(1, (between[0] + between[5] + between[10] - 1) / 2));
}

/** The biweight of partners by how far they lie apart. */
export const weightOf = (off: number, cutM: number) => Math.max(0, 1 - (off / cutM) ** 2) ** 2;

/** The weighted normal equations at a motion. */
export function equationsAt(common: Common, motion: Rigid, reach: number, cutM: number) {
  const [matrix, right] = [new Float64Array(36), new Float64Array(6)];
  let count = 0;
  eachRow(common, motion, reach, (row, off) => {
    const weight = weightOf(off, cutM);
    if (weight === 0) return;
    count++;
    for (let i = 0; i < 6; i++) {
      right[i] += weight * row[i] * off;
      for (let j = i; j < 6; j++) matrix[6 * i + j] += weight * row[i] * row[j];
    }
  });
  for (let i = 0; i < 6; i++) for (let j = 0; j < i; j++) matrix[6 * i + j] = matrix[6 * j + i];
  return { matrix, right, count };
}

export const product = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  SIX.reduce<number>((sum, k) => sum + a[k] * b[k], 0);
export const combined = (vectors: readonly (readonly number[])[], by: readonly number[]) =>
  SIX.map((r) => vectors.reduce((sum, vector, k) => sum + by[k] * vector[r], 0));

/** The step of the Gauss-Newton method at a motion. */
export function stepAt(common: Common, motion: Rigid, reach: number, cutM: number) {
  const { matrix, right, count } = equationsAt(common, motion, reach, cutM);
  const parts = eigen(matrix, 6);
  const trace = parts.reduce((sum, { value }) => sum + value, 0);
  const by = parts.map(({ value, vector }) => (value > HELD * trace ? product(vector, right) / value : 0));
  const vectors = parts.map(({ vector }) => vector);
  return { step: combined(vectors, by), count };
}

/** Fits the camera `b` to the camera `a`; in the last rounds partners that lie farther apart than most have little weight. */
export function settled(a: Sight, b: Sight, start: Rigid, reaches: readonly number[]) {
  const beside = commonOf(a, b, start, reaches[0]);
  if (!beside) return undefined;
  const reach = reaches[reaches.length - 1];
  let common = lightened(beside, start, reaches[0]);
  let [motion, size] = [start, Infinity];
  const improve = (near: number, cutM: number) => {
    const { step, count } = stepAt(common, motion, near, cutM);
    motion = after(common, motion, step);
    size = Math.hypot(...step);
    return count >= FEWEST;
  };
  for (const near of reaches) if (!improve(near, Infinity)) return undefined;
  common = lightened(common, motion, reach);
  size = Infinity;
  const offs: number[] = [];
  eachRow(common, motion, reach, (_row, off, _place, isLight) => !isLight && offs.push(Math.abs(off)));
  const median = medianOf(offs);
  const cutM = Math.max(CUT * median, LEAST_CUT_M);
  for (let round = 0; round < ROUNDS && size > STILL_M; round++) if (!improve(reach, cutM)) return undefined;
  return { common, motion, median, reach, cutM };
}

/** Where a fit came to rest, and with which partners. */
export type Settled = NonNullable<ReturnType<typeof settled>>;
