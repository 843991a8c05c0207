import { eigen } from "../../core/matrix.ts";
import { invert, type Rigid, rigid } from "../../core/pose.ts";
import { applied, type Common, eachRow } from "./rows.ts";
import {
  after,
  CUT,
  combined,
  commonOf,
  equationsAt,
  product,
  type Settled,
  SIX,
  settled,
  turnBetween,
  weightOf,
} from "./settle.ts";
import type { Sight } from "./sight.ts";

// Which directions of motion a fit shows, and places along those that it does not show well.

/** A direction whose share of the equations is smaller than this counts as if it had this share. */
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
/**
 * A direction that shows more than LEAST_TRIED and less than LEAST_REAL is tried by two fits, one from each side. Each begins BACK_FROM of
 * the partners' reach away, and has to end within BACK_TO of the reach.
 */
const LEAST_TRIED = 0.25;
const BACK_FROM = 0.8;
const BACK_TO = 0.08;
/** The longest step of the test, m. */
const MOST_STEP_M = 0.02;
const AXES = ["x, to the right", "y, downwards", "z, forward"];

/**
 * The directions of the equations, each so long that it changes the right side by 1; how real each is; and those that the scene leaves
 * open.
 */
export function shownBy(found: Settled) {
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
      .map(({ value, vector }) => ({ value, direction: combined(steps, vector) }));
  const hiddenOnes = weakOf(wide, LEAST_REAL);
  return { ...usual, weak: hiddenOnes.length > 0 ? hiddenOnes : weakOf(usual, LEAST_CURVED) };
}

/** Whether the scene shows a weak direction after all: fits that begin beside the place, to either side along it, end at the place. */
export function isShown(
  a: Sight,
  b: Sight,
  { common, motion, reach }: Settled,
  { value, direction }: { readonly value: number; readonly direction: readonly number[] },
  reaches: readonly number[],
) {
  if (!(value > LEAST_TRIED)) return false;
  const there = applied(invert(rigid(), motion), ...common.middle, 1);
  return stepsAlong(common, motion, direction, BACK_FROM * reach, reach).every((start) => {
    const again = settled(a, b, start, reaches)?.motion;
    if (!again) return false;
    const apart = applied(again, ...there, 1).map((value, k) => value - common.middle[k]);
    return Math.hypot(...apart, common.radius * turnBetween(again, motion)) < BACK_TO * reach;
  });
}

/** Places along a direction, each `stepM` from the one before, up to `farM` to either side. */
function stepsAlong(common: Common, start: Rigid, direction: readonly number[], stepM: number, farM: number): Rigid[] {
  const by = stepM / Math.hypot(...direction);
  return [-1, 1].flatMap((sign) =>
    Array.from({ length: Math.floor(farM / stepM) }, (_, k) =>
      after(common, start, combined([direction], [sign * by * (k + 1)])),
    ),
  );
}

/** The places along the two directions that the partners' normals show least. */
export function alongWeak(
  a: Sight,
  b: Sight,
  start: Rigid,
  reach: number,
  stepM: number,
  farM: number,
): readonly Rigid[] {
  const common = commonOf(a, b, start, reach);
  if (!common) return [];
  const parts = eigen(equationsAt(common, start, reach, Infinity).matrix, 6).toSorted((p, q) => p.value - q.value);
  return parts.slice(0, 2).flatMap(({ vector }) => stepsAlong(common, start, vector, stepM, farM));
}

/** Says which direction is not shown. */
export function hidden(direction: readonly number[]): string {
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
