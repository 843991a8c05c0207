import { type Spread, spreadOf } from "../types.ts";
import { calibrate, type Effort, trials } from "./effort.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** The time of one run of some dispatches, and how often they ran between two stamps. */
export interface Repeated extends Spread {
  readonly repeats: number;
}

type Encode = (pass: GPUComputePassEncoder) => void;

/**
 * Times each of `encodes`, repeated in one pass, by turns: what else the machine does falls on all of them alike. */
export async function timeByTurns(
  stopwatch: Stopwatch,
  encodes: readonly Encode[],
  effort: Effort,
): Promise<Repeated[]> {
  const time = (encode: Encode, repeats: number) =>
    stopwatch.time(1, (encoder, stamp) => {
      const pass = encoder.beginComputePass(stamp({ begin: 0, end: 1 }));
      for (let i = 0; i < repeats; i++) encode(pass);
      pass.end();
    });
  const repeats: number[] = [];
  for (const encode of encodes) repeats.push(await calibrate(stopwatch, effort, 1, (count) => time(encode, count)));
  const rounds: number[][] = [];
  const kept = await trials({ ...effort, budgetMs: effort.budgetMs * encodes.length }, async () => {
    const round: number[] = [];
    for (const [i, encode] of encodes.entries()) {
      const us = await time(encode, repeats[i] ?? 1);
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
