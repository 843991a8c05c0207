import type { Gpu } from "../../pipeline/device/gpu.ts";
import { submit } from "../../pipeline/tune/stopwatch.ts";
import { calibrate, type Effort, Stopwatch, trials } from "../measure/stopwatch.ts";
import { type Spread, spreadOf } from "../types.ts";
import { compactInOrder, DATA, type DataName, faultOf } from "./data.ts";
import { type OpenProblem, openProblem } from "./problem.ts";
import { type CompactionStep, type Contender, STEPS, type StepName, type Stepped, type StepTimes } from "./types.ts";

/** One contender on one input. */
export interface CompactionRow extends Spread, Stepped {
  readonly contender: string;
  readonly data: DataName;
  /** The number of words. */
  readonly length: number;
  /** Whether the output equals the sequential loop's. */
  readonly checked: boolean;
  readonly repeats: number;
}

export interface CompactionPlan {
  readonly contenders: readonly Contender[];
  readonly lengths: readonly number[];
  readonly data: readonly DataName[];
  readonly effort: Effort;
}

export interface CompactionTimes {
  readonly rows: readonly CompactionRow[];
  /** Cases that were left out, and wrong outputs, with the reasons. */
  readonly notes: readonly string[];
}

/** Checks and times contenders. Runs in Node and in a page. `log` takes a line for each measurement; `signal` stops between two. */
export async function measureCompaction(
  gpu: Gpu,
  { contenders, lengths, data, effort }: CompactionPlan,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<CompactionTimes> {
  const [rows, notes]: [CompactionRow[], string[]] = [[], []];
  const note = (line: string) => {
    if (notes.includes(line)) return;
    notes.push(line);
    log(line);
  };
  const stopwatch = new Stopwatch(gpu);
  try {
    for (const length of lengths) {
      for (const kind of data) {
        const words = DATA[kind](length);
        const expected = compactInOrder(words);
        const problem = openProblem(gpu, words, length);
        try {
          for (const contender of contenders) {
            signal?.throwIfAborted();
            const why = contender.unfit(gpu, length);
            if (why !== undefined) {
              note(`${contender.name}: left out: ${why}`);
              continue;
            }
            const steps = await contender.build(problem);
            const fault = await checkSteps(problem, steps, expected, contender.keepsOrder);
            if (fault) note(`${contender.name}, ${length} words, ${kind}: WRONG: ${fault}`);
            const times = await timeSteps(stopwatch, steps, effort);
            rows.push({ contender: contender.name, data: kind, length, checked: !fault, ...times });
            log(`${contender.name}, ${length} words, ${kind}: ${times.medianUs} µs`);
            problem.freeScratch();
          }
        } finally {
          problem.destroy();
        }
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
  expected: Uint32Array,
  keepsOrder: Contender["keepsOrder"],
): Promise<string | undefined> {
  for (let run = 0; run < 2; run++) {
    problem.poison();
    const encode = (pass: GPUComputePassEncoder) => {
      for (const step of steps) step.encode(pass);
    };
    submit(problem.gpu.device, encode, "compaction check");
    const fault = faultOf(await problem.read(expected.length), await problem.readTotal(), expected, keepsOrder);
    if (fault) return fault;
  }
  return undefined;
}

/** Times steps as a whole, and apart by differences. */
export async function timeSteps(stopwatch: Stopwatch, steps: readonly CompactionStep[], effort: Effort) {
  const timeFirst = (count: number, repeats: number) =>
    stopwatch.repeat(repeats, (pass) => {
      for (const step of steps.slice(0, count)) step.encode(pass);
    });
  const repeats = await calibrate(stopwatch, effort, 1, (n) => timeFirst(steps.length, n));
  const upTo: Spread[] = [];
  for (let count = 1; count <= steps.length; count++) {
    upTo.push(spreadOf((await trials(effort, () => timeFirst(count, repeats))).map((us) => us / repeats)));
  }
  const whole = upTo.at(-1) ?? spreadOf([]);
  const differences = upTo.map(({ medianUs }, i) => medianUs - (upTo[i - 1]?.medianUs ?? 0));
  return { ...whole, repeats, steps: byName(steps, differences) };
}

function byName(steps: readonly CompactionStep[], times: readonly number[]): StepTimes {
  const timeOf = (name: StepName) => {
    const at = steps.findIndex((step) => step.name === name);
    return at < 0 ? null : Math.round((times[at] ?? 0) * 1000) / 1000;
  };
  const [count, prefix, move] = STEPS.map(timeOf);
  return { count: count ?? null, prefix: prefix ?? null, move: move ?? null };
}
