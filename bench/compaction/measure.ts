import type { Gpu } from "../../pipeline/device/gpu.ts";
import { submit } from "../../pipeline/tune/stopwatch.ts";
import { createKernel } from "../../stages/core/author.ts";
import copyCode from "../kernels/compaction/plainCopy.wgsl?raw";
import { calibrate, type Effort, trials } from "../measure/effort.ts";
import { Stopwatch } from "../measure/stopwatch.ts";
import { type Spread, spreadOf } from "../types.ts";
import { compactInOrder, DATA, type DataName, faultOf } from "./data.ts";
import { dispatchMany } from "./dispatch.ts";
import { type OpenProblem, openProblem } from "./problem.ts";
import { copyBySequences } from "./sequences.ts";
import { type Contender, STEPS, type Step, type StepName } from "./types.ts";

/** The time of each step in microseconds; null if the contender does not have the step. */
export type StepTimes = Readonly<Record<StepName, number | null>>;

/** One contender on one input. */
export interface CompactionRow extends Spread {
  readonly contender: string;
  readonly data: DataName;
  /** The number of words. */
  readonly length: number;
  /** Whether the output equals the sequential loop's. */
  readonly checked: boolean;
  /** By differences: the time of the first steps, less that of the steps before. */
  readonly steps: StepTimes;
  /** By stamps: a pass for each step, each stamping its end; null without the GPU's clock. */
  readonly stamped: StepTimes | null;
  readonly repeats: number;
}

/** A plain copy, or one in the order of access of the contender `sequences`. */
export interface CopyRow extends Spread {
  readonly copy: "plain" | "by sequences";
  readonly length: number;
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
  readonly copies: readonly CopyRow[];
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
  const [rows, copies, notes]: [CompactionRow[], CopyRow[], string[]] = [[], [], []];
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
          if (kind === data[0]) copies.push(...(await timeCopies(stopwatch, problem, effort)));
        } finally {
          problem.destroy();
        }
      }
    }
  } finally {
    stopwatch.destroy();
  }
  return { rows, copies, notes };
}

/** Runs the steps twice over a poisoned output, since the second run meets what the first has left; says what is wrong, if anything is. */
export async function checkSteps(
  problem: OpenProblem,
  steps: readonly Step[],
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

/** Times steps as a whole and apart: by differences and, where there is the GPU's clock, by stamps. */
export async function timeSteps(stopwatch: Stopwatch, steps: readonly Step[], effort: Effort) {
  const timeFirst = (count: number, repeats: number) => timeRepeats(stopwatch, steps.slice(0, count), repeats);
  const repeats = await calibrate(stopwatch, effort, 1, (n) => timeFirst(steps.length, n));
  const upTo: Spread[] = [];
  for (let count = 1; count <= steps.length; count++) {
    upTo.push(spreadOf((await trials(effort, () => timeFirst(count, repeats))).map((us) => us / repeats)));
  }
  const whole = upTo.at(-1) ?? spreadOf([]);
  const differences = upTo.map(({ medianUs }, i) => medianUs - (upTo[i - 1]?.medianUs ?? 0));
  const stamped = stopwatch.clock === "gpu" ? await stampSteps(stopwatch, steps, repeats, effort) : null;
  return { ...whole, repeats, steps: byName(steps, differences), stamped: stamped && byName(steps, stamped) };
}

const timeRepeats = (stopwatch: Stopwatch, steps: readonly Pick<Step, "encode">[], repeats: number) =>
  stopwatch.repeat(repeats, (pass) => {
    for (const step of steps) step.encode(pass);
  });

/** The median over all trials, as many as the budget allows, and repetitions of each step's end less the previous one's. */
async function stampSteps(stopwatch: Stopwatch, steps: readonly Step[], most: number, effort: Effort) {
  const repeats = Math.min(most, Math.floor((Stopwatch.CAPACITY - 1) / steps.length));
  const times: number[][] = steps.map(() => []);
  const begin = performance.now();
  for (let trial = 0; trial < Math.min(effort.trials, 5); trial++) {
    if (trial > 0 && performance.now() - begin > effort.budgetMs) break;
    const stamps = await stopwatch.stamps(repeats * steps.length, (encoder, stamp) => {
      for (let i = 0; i < repeats * steps.length; i++) {
        const pass = encoder.beginComputePass(stamp(i === 0 ? { begin: 0, end: 1 } : { end: i + 1 }));
        steps[i % steps.length]?.encode(pass);
        pass.end();
      }
    });
    for (const [i, end] of stamps.entries()) times[i % steps.length]?.push(end - (stamps[i - 1] ?? 0));
  }
  return times.map((all) => spreadOf(all).medianUs);
}

function byName(steps: readonly Step[], times: readonly number[]): StepTimes {
  const timeOf = (name: StepName) => {
    const at = steps.findIndex((step) => step.name === name);
    return at < 0 ? null : Math.round((times[at] ?? 0) * 1000) / 1000;
  };
  const [count, prefix, move] = STEPS.map(timeOf);
  return { count: count ?? null, prefix: prefix ?? null, move: move ?? null };
}

/** Words that a workgroup of plainCopy.wgsl copies. */
const COPIED = 1024;

async function timeCopies(stopwatch: Stopwatch, problem: OpenProblem, effort: Effort) {
  const { gpu, length, input: source, kept: sink } = problem;
  const groups = Math.ceil(length / COPIED);
  const kernel = await createKernel(gpu.device, {
    label: "compaction/plainCopy",
    code: copyCode,
    constants: { LENGTH: (groups * COPIED) / 4 },
    resources: { source, sink },
  });
  const ways = {
    plain: (pass: GPUComputePassEncoder) => dispatchMany(kernel, pass, groups),
    "by sequences": await copyBySequences(problem),
  };
  const rows: CopyRow[] = [];
  for (const copy of ["plain", "by sequences"] as const) {
    const encode = ways[copy];
    if (!encode) continue;
    const time = (repeats: number) => timeRepeats(stopwatch, [{ encode }], repeats);
    const repeats = await calibrate(stopwatch, effort, 1, time);
    const micros = await trials(effort, () => time(repeats));
    rows.push({ copy, length, repeats, ...spreadOf(micros.map((us) => us / repeats)) });
  }
  return rows;
}
