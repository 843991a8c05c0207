import type { Gpu } from "../../pipeline/device/gpu.ts";
import { submit } from "../../pipeline/tune/stopwatch.ts";
import { timeSteps } from "../compaction/measure.ts";
import type { CompactionStep, Stepped } from "../compaction/types.ts";
import { type Effort, Stopwatch } from "../measure/stopwatch.ts";
import type { Spread } from "../types.ts";
import { faultOf, startsInOrder } from "./data.ts";
import { type OpenProblem, openProblem } from "./problem.ts";
import type { Contender, Input, Samples } from "./types.ts";

/** One contender on one input. */
export interface BinningRow extends Spread, Stepped {
  readonly contender: string;
  readonly data: string;
  readonly tiles: number;
  /** The number of samples. */
  readonly length: number;
  /** Whether the lists hold what the sequential loop's hold. */
  readonly checked: boolean;
  readonly repeats: number;
}

export interface BinningPlan {
  readonly contenders: readonly Contender[];
  readonly inputs: readonly Input[];
  readonly effort: Effort;
}

export interface BinningTimes {
  readonly rows: readonly BinningRow[];
  /** Cases that were left out, and wrong outputs, with the reasons. */
  readonly notes: readonly string[];
}

/** Checks and times contenders. Runs in Node and in a page. `log` takes a line for each measurement; `signal` stops between two. */
export async function measureBinning(
  gpu: Gpu,
  { contenders, inputs, effort }: BinningPlan,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<BinningTimes> {
  const [rows, notes]: [BinningRow[], string[]] = [[], []];
  const stopwatch = new Stopwatch(gpu);
  try {
    for (const input of inputs) {
      signal?.throwIfAborted();
      const samples = await input.make();
      const { data, tiles } = samples;
      const length = samples.pairs.length / 2;
      const what = `${data}, ${length} samples, ${tiles} tiles`;
      const starts = startsInOrder(samples);
      const problem = openProblem(gpu, samples);
      try {
        for (const contender of contenders) {
          signal?.throwIfAborted();
          const steps = await contender.build(problem);
          const fault = await checkSteps(problem, steps, samples, starts, contender.bounds);
          if (fault) notes.push(`${contender.name}, ${what}: WRONG: ${fault}`);
          const times = await timeSteps(stopwatch, steps, effort);
          rows.push({ contender: contender.name, data, tiles, length, checked: !fault, ...times });
          log(`${contender.name}, ${what}: ${times.medianUs} µs${fault ? `, WRONG: ${fault}` : ""}`);
          problem.freeScratch();
        }
      } finally {
        problem.destroy();
      }
    }
  } finally {
    stopwatch.destroy();
  }
  return { rows, notes };
}

/** Runs the steps twice over a poisoned output, since the second run meets what the first has left; says what is wrong, if anything is. */
export async function checkSteps(
  problem: OpenProblem,
  steps: readonly CompactionStep[],
  samples: Samples,
  starts: Uint32Array,
  bounds: Contender["bounds"],
): Promise<string | undefined> {
  for (let run = 0; run < 2; run++) {
    problem.poison();
    submit(problem.gpu.device, (pass) => {
      for (const step of steps) step.encode(pass);
    });
    const fault = faultOf(await problem.readList(), await problem.readBounds(), samples, starts, bounds);
    if (fault) return fault;
  }
  return undefined;
}
