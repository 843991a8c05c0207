import { cross, type Vec3 } from "../../core/geometry.ts";
import { eigen } from "../../core/matrix.ts";
import { compose, type Rigid, rigid, straighten, turned } from "../../core/pose.ts";
import { medianOf } from "../robust.ts";
import { SWINGS, swingsOf } from "../systematic.ts";
import { applied, type Common, eachRow, lightened, ORIGIN } from "./rows.ts";
import type { Sight } from "./sight.ts";

// The close fit: both cameras' partners in one system of equations, and how much of its certainty is real.

/** The biweight's cut (Beaton and Tukey 1974), in medians of the partners' distances, and the least cut, m. */
const CUT = 4.685 * 1.4826;
const LEAST_CUT_M = 0.001;
/** The fit ends after this many iterations, or after a step that is shorter than `STILL_M`. */
const ROUNDS = 20;
const STILL_M = 2e-6;
/** An iteration does not move the camera along a direction that has a smaller share of the equations than this. */
const HELD = 1e-4;
/** A direction that has a smaller share of the equations than this counts as if it had this share. */
const WEAKEST = 5e-5;
/**
 * When the camera moves, the right side of the equations has to change by this share of what their matrix says. Where normals point along
 * a direction by noise alone, the matrix says that partners show the direction, but their distances do not change. This test widens the
 * biweight's cut by the factor `WIDE`: partners on things lie farther apart than those on walls, and would lose their weight within the
 * usual cut as the camera moves.
 */
const LEAST_REAL = 0.5;
const WIDE = 3;
/** With the usual cut the right side has to change by at least this share, or the fit has no minimum in that direction. */
const LEAST_CURVED = 0.1;
/** The fewest partners of a fit, and the longest step of the test. */
const FEWEST = 400;
const MOST_STEP_M = 0.02;
/** Errors are alike within areas of AREA × AREA pixels of the first camera's image, or within squares of WIDER such areas. */
const AREA = 10;
const WIDER = [1, 2, 4, 6];
const SIX = [0, 1, 2, 3, 4, 5] as const;
const AXES = ["x, to the right", "y, downwards", "z, forward"];
const TOO_LITTLE = "the cameras see too little in common";

/** The motion after a shift of the middle and a turn about it. */
function after({ middle, radius }: Common, motion: Rigid, step: readonly number[]): Rigid {
  const turn = turned(rigid(), step[3] / radius, step[4] / radius, step[5] / radius, 0, 0, 0);
  const there = applied(turn, ...middle, 0);
  for (let k = 0; k < 3; k++) turn[4 * k + 3] = step[k] + middle[k] - there[k];
  return straighten(compose(rigid(), turn, motion));
}

function commonOf(a: Sight, b: Sight, motion: Rigid, reach: number): Common | undefined {
  const places: Vec3[] = [];
  eachRow({ a, b, middle: ORIGIN, radius: 1 }, motion, reach, (_row, _off, place) => places.push(place));
  if (places.length < FEWEST) return undefined;
  const mean = (of: (place: Vec3) => number) => places.reduce((sum, place) => sum + of(place), 0) / places.length;
  const middle: Vec3 = [mean(([x]) => x), mean(([, y]) => y), mean(([, , z]) => z)];
  const radius = Math.sqrt(mean((place) => place.reduce((sum, value, k) => sum + (value - middle[k]) ** 2, 0)));
  return { a, b, middle, radius };
}

const weightOf = (off: number, cutM: number) => Math.max(0, 1 - (off / cutM) ** 2) ** 2;

/** The weighted normal equations at a motion. */
function equationsAt(common: Common, motion: Rigid, reach: number, cutM: number) {
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

const product = (a: ArrayLike<number>, b: ArrayLike<number>) => SIX.reduce<number>((sum, k) => sum + a[k] * b[k], 0);
const combined = (vectors: readonly (readonly number[])[], by: readonly number[]) =>
  SIX.map((r) => vectors.reduce((sum, vector, k) => sum + by[k] * vector[r], 0));

/** The step of the Gauss-Newton method at a motion. */
function stepAt(common: Common, motion: Rigid, reach: number, cutM: number) {
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

type Settled = NonNullable<ReturnType<typeof settled>>;

/** Where a fit stands and how sure that is; a text names a direction that the scene does not show. */
export function closely(a: Sight, b: Sight, start: Rigid, reaches: readonly number[]) {
  const found = settled(a, b, start, reaches);
  if (!found) return TOO_LITTLE;
  const { steps, real, weak } = shownBy(found);
  if (weak.length > 0) return hidden(weak[0]);
  const vectors = real.map(({ vector }) => vector);
  const solve = (side: ArrayLike<number>) => {
    const white = steps.map((step) => product(step, side));
    const by = real.map(({ value, vector }) => product(vector, white) / value);
    return combined(steps, combined(vectors, by));
  };
  return { motion: found.motion, median: found.median, ...certainty(found, solve) };
}

/** The directions of the equations (as long as changes the right side by 1), what of them is real, and those that the scene leaves open. */
function shownBy(found: Settled) {
  const [usual, wide] = [found, { ...found, cutM: WIDE * found.cutM }].map((one) => {
    const parts = eigen(equationsAt(one.common, one.motion, one.reach, one.cutM).matrix, 6);
    const least = WEAKEST * parts.reduce((sum, { value }) => sum + value, 0);
    const steps = parts.map(({ value, vector }) => vector.map((entry) => entry / Math.sqrt(Math.max(value, least))));
    return { steps, real: eigen(changes(one, steps), 6) };
  });
  const weakOf = ({ steps, real }: typeof usual, least: number) =>
    real
      .filter(({ value }) => !(value > least))
      .toSorted((p, q) => p.value - q.value)
      .map(({ vector }) => combined(steps, vector));
  const hiddenOnes = weakOf(wide, LEAST_REAL);
  return { ...usual, weak: hiddenOnes.length > 0 ? hiddenOnes : weakOf(usual, LEAST_CURVED) };
}

/**
 * The places along the direction that a fit does not show, each `stepM` from the one before, up to `farM` to either side: none where it
 * shows all. `undefined` where it does not show several directions.
 */
export function alongHidden(a: Sight, b: Sight, start: Rigid, reaches: readonly number[], stepM: number, farM: number) {
  const reach = reaches[reaches.length - 1];
  const common = commonOf(a, b, start, reach);
  if (!common) return undefined;
  const { weak } = shownBy({ common, motion: start, median: reach / CUT, reach, cutM: reach });
  if (weak.length !== 1) return weak.length === 0 ? [] : undefined;
  const count = Math.floor(farM / stepM);
  const by = stepM / Math.hypot(...weak[0]);
  return [-1, 1].flatMap((sign) =>
    Array.from({ length: count }, (_, k) => after(common, start, combined([weak[0]], [sign * by * (k + 1)]))),
  );
}

function hidden(direction: readonly number[]): string {
  const sizes = direction.map(Math.abs);
  const most = sizes.indexOf(Math.max(...sizes));
  const how = most < 3 ? "how far the camera stands along" : "how the camera is turned about";
  return `what both cameras see does not show ${how} ${AXES[most % 3]}: let them see more than a wall, or a wall and a floor`;
}

/** By how much the right side of the equations changes when the camera really moves: a symmetric matrix, in the directions `steps`. */
function changes({ common, motion, reach, cutM }: Settled, steps: readonly (readonly number[])[]): number[] {
  // Partners that show a direction move by about the median distance, so that none is lost.
  const fourths = new Float64Array(6);
  eachRow(common, motion, reach, (row, off) => {
    for (const k of SIX) fourths[k] += weightOf(off, cutM) * product(row, steps[k]) ** 4;
  });
  const columns = steps.map((step, k) => {
    const size = Math.min(MOST_STEP_M / Math.hypot(...step), cutM / CUT / Math.sqrt(fourths[k]));
    const [there, back] = [size, -size].map((by) => {
      const { right } = equationsAt(common, after(common, motion, combined([step], [by])), reach, cutM);
      return steps.map((own) => product(own, right));
    });
    return SIX.map((j) => (back[j] - there[j]) / (2 * size));
  });
  return SIX.flatMap((i) => SIX.map((j) => (columns[i][j] + columns[j][i]) / 2));
}

/**
 * The covariance of the camera's place and its turn, by all that errs and by the fit alone, and how far the surfaces are apart. Residuals
 * are added up by areas, since neighbouring pixels err alike (Liang and Zeger 1986), as in plane.ts. Areas of several sizes are tried:
 * where errors are alike over wide areas, the sums of wide areas show the larger error. What a camera by time of flight errs by beside its
 * noise (../systematic.ts) moves the whole fit, and residuals show a part of it alone.
 */
function certainty({ common, motion, reach, cutM }: Settled, solve: (side: ArrayLike<number>) => number[]) {
  const { middle, radius, a, b } = common;
  const lever: Vec3 = [motion[3] - middle[0], motion[7] - middle[1], motion[11] - middle[2]];
  const ofCamera = (step: readonly number[]) => {
    const turn: Vec3 = [step[3] / radius, step[4] / radius, step[5] / radius];
    const shift = cross(turn, lever);
    return [step[0] + shift[0], step[1] + shift[1], step[2] + shift[2], ...turn];
  };
  const { fx, fy, cx, cy } = a.fine.lens;
  const areas = WIDER.map(() => new Map<number, Float64Array>());
  const places: Vec3[] = [];
  let square = 0;
  const stands: readonly Vec3[] = [ORIGIN, [motion[3], motion[7], motion[11]]];
  const swinging = [a, b].flatMap(({ scene }, k) => {
    const swings = swingsOf(scene);
    return swings
      ? [{ swings, from: stands[k], sides: Array.from({ length: SWINGS }, () => new Float64Array(6)) }]
      : [];
  });
  const swing = new Float64Array(SWINGS);
  eachRow(common, motion, reach, (row, off, place, isLight) => {
    const weight = weightOf(off, cutM);
    if (!isLight) {
      places.push(place);
      square += off * off;
      for (const { swings, from, sides } of swinging) {
        const [x, y, z] = place.map((value, k) => value - from[k]);
        const long = Math.hypot(x, y, z);
        swings(long, swing);
        const along = (weight * (row[0] * x + row[1] * y + row[2] * z)) / long;
        for (let m = 0; m < SWINGS; m++) for (let i = 0; i < 6; i++) sides[m][i] += along * swing[m] * row[i];
      }
    }
    const [u, v] = [(place[0] / place[2]) * fx + cx, (place[1] / place[2]) * fy + cy];
    for (const [k, wider] of WIDER.entries()) {
      const key = Math.floor(v / (AREA * wider)) * 4096 + Math.floor(u / (AREA * wider));
      const sum = areas[k].get(key) ?? new Float64Array(6);
      areas[k].set(key, sum);
      for (let i = 0; i < 6; i++) sum[i] += weight * row[i] * off;
    }
  });
  const all = areas.map((sums) => {
    const errors = Array.from(sums.values(), (sum) => ofCamera(solve(sum)));
    // The fit takes a part of the residuals of few areas into itself (the jackknife's factor: Bell and McCaffrey 2002).
    return covarianceOf(errors, (sums.size / Math.max(1, sums.size - 6)) ** 2);
  });
  // How partners that lie far apart would move the camera if they had the same weight as the others.
  const rest = covarianceOf([ofCamera(stepAt(common, motion, reach, Infinity).step)], 1);
  const largest = all.reduce((p, q) => (placeOf(q) > placeOf(p) ? q : p));
  // Where both recordings are the same one, nothing errs.
  const scale = SIX.map((k) => Math.sqrt(Math.max(...all.map((one) => one[7 * k])) / largest[7 * k]) || 0);
  // Of each camera the period counts that moves the place most.
  const swung = swinging.map(({ sides }) => {
    const moved = sides.map((side) => ofCamera(solve(side)));
    const periods = Array.from({ length: SWINGS / 2 }, (_, k) => covarianceOf(moved.slice(2 * k, 2 * k + 2), 1));
    return periods.reduce((p, q) => (placeOf(q) > placeOf(p) ? q : p));
  });
  const ofFit = largest.map((value, i) => scale[Math.floor(i / 6)] * scale[i % 6] * value + rest[i]);
  const covariance = ofFit.map((value, i) => swung.reduce((sum, one) => sum + one[i], value));
  return { covariance, ofFit, places, rms: Math.sqrt(square / places.length) };
}

const placeOf = (covariance: readonly number[]) => covariance[0] + covariance[7] + covariance[14];

const covarianceOf = (errors: readonly (readonly number[])[], factor: number): number[] =>
  Array.from({ length: 36 }, (_, i) =>
    errors.reduce((sum, error) => sum + factor * error[Math.floor(i / 6)] * error[i % 6], 0),
  );
