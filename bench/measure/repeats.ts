import { type Spread, spreadOf } from "../types.ts";
import { calibrate, type Effort, type Stopwatch, trials } from "./stopwatch.ts";

/** The time of one run of some dispatches, and how often they ran between two stamps. */
export interface Repeated extends Spread {
  readonly repeats: number;
}

type Encode = (pass: GPUComputePassEncoder) => void;

/** Times each of `encodes`, repeated in one pass, by turns, so that other load on the machine affects all alike. */
export async function timeByTurns(
  stopwatch: Stopwatch,
  encodes: readonly Encode[],
  effort: Effort,
): Promise<Repeated[]> {
  const repeats: number[] = [];
  for (const encode of encodes)
    repeats.push(await calibrate(stopwatch, effort, 1, (count) => stopwatch.repeat(count, encode)));
  const rounds: number[][] = [];
  const kept = await trials({ ...effort, budgetMs: effort.budgetMs * encodes.length }, async () => {
    const round: number[] = [];
    for (const [i, encode] of encodes.entries()) {
      const us = await stopwatch.repeat(repeats[i] ?? 1, encode);
      if (us === null) return null;
      round.push(us / (repeats[i] ?? 1));
    }
    rounds.push(round);
    return 0;
  });
  // The rounds before those that count were warm-ups.
  const counted = rounds.slice(-kept.length);
  return repeats.map((count, i) => ({ ...spreadOf(counted.map((round) => round[i] ?? 0)), repeats: count }));
}
