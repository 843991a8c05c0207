import { reachFullClock } from "./pace.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** How much time a measurement may take. */
export interface Effort {
  readonly trials: number;
  /** How long the work between two stamps should take, so that the stamps' resolution and cost do not matter. */
  readonly targetUs: number;
  /** Trials stop when this time is spent, but not before the third; when four times this is spent, after the first. */
  readonly budgetMs: number;
}

const MOST_REPEATS = 512;
const LONGEST_MS = 3000;

/**
 * The number of repetitions that fills the target time, a multiple of `least`, as `time` measures them in microseconds (`null` if the
 * clock ran backwards), once the device's clock rate is up.
 */
export async function calibrate(
  stopwatch: Stopwatch,
  { targetUs }: Pick<Effort, "targetUs">,
  least: number,
  time: (repeats: number) => Promise<number | null>,
): Promise<number> {
  await reachFullClock(stopwatch);
  const begin = performance.now();
  let repeats = least;
  for (;;) {
    const us = (await time(repeats)) ?? targetUs;
    const wanted = Math.min(MOST_REPEATS, Math.max(1, (repeats * targetUs) / us), repeats * 8);
    const settled = wanted <= repeats * 1.5;
    repeats = Math.ceil(wanted / least) * least;
    if (settled || performance.now() - begin > LONGEST_MS) return repeats;
  }
}

/**
 * Runs two warm-ups, then as many trials as the budget allows, and returns their times; runs whose clock went backwards are left out.
 * Throws if all did.
 */
export async function trials({ trials: count, budgetMs }: Effort, run: (trial: number) => Promise<number | null>) {
  const micros: number[] = [];
  const begin = performance.now();
  for (let trial = -2; trial < count; trial++) {
    const us = await run(trial + 2);
    const spent = performance.now() - begin;
    if (us !== null && (trial >= 0 || spent > budgetMs)) micros.push(us);
    if (spent > budgetMs && (micros.length >= 3 || spent > 4 * budgetMs) && micros.length > 0) break;
  }
  if (micros.length === 0) throw new Error("the GPU's clock ran backwards in every trial");
  return micros;
}
