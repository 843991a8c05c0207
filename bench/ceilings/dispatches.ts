import type { Gpu } from "../../pipeline/device/gpu.ts";
import { dispatchesOf, type Work } from "../../pipeline/tune/stopwatch.ts";
import { createKernel } from "../../stages/core/author.ts";
import emptyCode from "../kernels/empty.wgsl?raw";
import { type Effort, trials } from "../measure/effort.ts";
import type { Lane } from "../measure/lanes.ts";
import { reachFullClock } from "../measure/pace.ts";
import { type Stamp, Stopwatch } from "../measure/stopwatch.ts";
import { spreadOf } from "../types.ts";
import type { KernelLimit, StageLimit, Term } from "./model.ts";

/** Equal dispatches of a frame (one kernel, as many workgroups each), timed one by one. */
export interface DispatchTime {
  readonly kernel: string;
  /** Workgroups of each dispatch. */
  readonly workgroups: number;
  readonly dispatches: number;
  /** The time of all of them together in the median frame, minus the cost of their stamps. */
  readonly us: number;
  /** The limit of all of them together. */
  readonly limitUs: number;
  readonly term: Term;
}

/** A stage's dispatches, in the order in which they first run. */
export interface DispatchTimes {
  /** The cost of a pass and a stamp per dispatch, measured with dispatches that do nothing. */
  readonly stampUs: number;
  readonly kernels: readonly DispatchTime[];
}

/** Trials that count, and frames of each. */
const [TRIALS, MOST_FRAMES] = [5, 64];
/** The mean time of a dispatch must be at least this many steps of the clock. */
const STEPS = 2;

/**
 * Times each dispatch of a stage by itself: every one has a pass of its own, whose end is stamped. All run in order on the frames that the
 * stage was timed on, so that each finds the output of the one before. Returns what puts a limit of the same kernels beside the times;
 * `undefined` where the clock is too coarse or the dispatches are more than stamps. Throws an error if the stage runs other dispatches than
 * it declares.
 */
export async function timeDispatches(
  gpu: Gpu,
  lanes: readonly Lane[],
  { kernels }: StageLimit,
  { targetUs, budgetMs }: Effort,
  stageUs: number,
): Promise<((limit: StageLimit) => DispatchTimes) | undefined> {
  const each = dispatchesIn(kernels);
  const isCoarse = !gpu.timestamps || stageUs < STEPS * gpu.clockResolutionUs * each.length;
  const room = Math.floor((Stopwatch.CAPACITY - 1) / each.length);
  if (isCoarse || room < 1) return undefined;
  const frames = Math.min(room, MOST_FRAMES, Math.max(lanes.length, Math.ceil(targetUs / stageUs)));
  const stopwatch = new Stopwatch(gpu);
  try {
    // The limit was counted meanwhile, and the device was idle.
    await reachFullClock(stopwatch);
    /** The times of a frame's dispatches, frame by frame, of each run; the first two are warm-ups. */
    const runs: (readonly number[])[][] = [];
    const kept = await trials({ trials: TRIALS, targetUs, budgetMs }, async () => {
      const ends = await stopwatch.stamps(frames * each.length, (encoder, stamp) => {
        const passes = new Passes(encoder, stamp);
        for (let i = 0; i < frames; i++) {
          const { steps, film } = lanes[i % lanes.length];
          const moment = film.next();
          for (const { built } of steps) for (const { work } of dispatchesOf(built, moment)) passes.run(work);
        }
        if (passes.count !== frames * each.length)
          throw new Error(
            `${passes.count} dispatches in ${frames} frames, but the stage declares ${each.length} for each`,
          );
      });
      const times = ends.map((end, i) => end - (ends[i - 1] ?? 0));
      if (times.some((us) => us < 0)) return null;
      runs.push(Array.from({ length: frames }, (_, i) => times.slice(i * each.length, (i + 1) * each.length)));
      return 0;
    });
    const timed = runs.slice(-kept.length).flat();
    const stampUs = await stampCost(stopwatch);
    return ({ kernels }) => timesOf(dispatchesIn(kernels), timed, stampUs);
  } finally {
    stopwatch.destroy();
  }
}

/** A kernel for each of its dispatches, in order. */
const dispatchesIn = (kernels: readonly KernelLimit[]) =>
  kernels.flatMap((one) => new Array<KernelLimit>(one.dispatches).fill(one));

/** The cost of a pass and a stamp per dispatch, in µs: the shortest of a few trials with a kernel that only counts. */
async function stampCost(stopwatch: Stopwatch): Promise<number> {
  const { device } = stopwatch.gpu;
  const counter = device.createBuffer({ label: "bench counter", size: 16, usage: GPUBufferUsage.STORAGE });
  try {
    const kernel = await createKernel(device, { label: "bench/stamp", code: emptyCode, resources: { counter } });
    const shortest = async (run: () => Promise<number | null>) =>
      Math.min(...(await trials({ trials: TRIALS, targetUs: 0, budgetMs: Number.POSITIVE_INFINITY }, run)));
    const one = await shortest(() => stopwatch.repeat(MOST_FRAMES, (pass) => kernel.dispatch(pass, 1)));
    const apart = await shortest(() =>
      stopwatch.time(MOST_FRAMES, (encoder, stamp) => {
        const passes = new Passes(encoder, stamp);
        for (let i = 0; i < MOST_FRAMES; i++) passes.run((pass) => kernel.dispatch(pass, 1));
      }),
    );
    return Math.max(0, (apart - one) / MOST_FRAMES);
  } finally {
    counter.destroy();
  }
}

/** Groups equal dispatches, and subtracts the cost of their stamps. */
export function timesOf(
  each: readonly KernelLimit[],
  frames: readonly (readonly number[])[],
  stampUs: number,
): DispatchTimes {
  const groups = new Map<string, number[]>();
  for (const [i, { kernel, workgroups, operations, term }] of each.entries()) {
    const key = JSON.stringify([kernel, workgroups, operations, term]);
    groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  const timeOf = (members: readonly number[]) =>
    spreadOf(frames.map((frame) => members.reduce((sum, i) => sum + (frame[i] ?? 0), 0))).medianUs;
  const kernels = [...groups.values()].flatMap((members): DispatchTime[] => {
    const limits = members.flatMap((i) => each[i] ?? []);
    const [first] = limits;
    if (!first) return [];
    const { kernel, workgroups, term } = first;
    const us = Math.max(0, timeOf(members) - members.length * stampUs);
    const limitUs = limits.reduce((sum, one) => sum + one.us, 0);
    return [{ kernel, workgroups, dispatches: members.length, us, limitUs, term }];
  });
  return { stampUs, kernels };
}

/** The group of dispatches whose time lies farthest above its limit; `undefined` if no time lies above. */
export const farthestOf = ({ kernels }: DispatchTimes): DispatchTime | undefined =>
  kernels.filter(({ us, limitUs }) => us > limitUs).sort((a, b) => b.us - b.limitUs - (a.us - a.limitUs))[0];

/** Runs each work in a pass of its own, whose end is stamped. */
class Passes {
  count = 0;

  constructor(
    readonly encoder: GPUCommandEncoder,
    readonly stamp: Stamp,
  ) {}

  run(work: Work): void {
    const begin = this.count === 0 ? { begin: 0 } : {};
    const pass = this.encoder.beginComputePass(this.stamp({ ...begin, end: ++this.count }));
    work(pass);
    pass.end();
  }
}
