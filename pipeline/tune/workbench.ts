import { type DepthFrame, shapeOf } from "../../core/frame.ts";
import { AGAIN, type FrameResources } from "../../stages/core/resources.ts";
import type { BuiltStage, CpuFrame, Stage } from "../../stages/core/stage.ts";
import type { Overrides } from "../../stages/core/tuning.ts";
import type { Gpu } from "../device/gpu.ts";
import { Input } from "../run/input.ts";
import { holdingOf } from "../run/runner.ts";
import { type Candidate, type KernelTime, median } from "./search.ts";
import { dispatchesOf, openPassTimer, type PassTimer, submit } from "./stopwatch.ts";
import { differencesOf } from "./twinCheck.ts";

/** A pass repeats its work for about this long, so that the cost of its timestamps does not matter. */
const TARGET_US = 2000;
const MOST_REPEATS = 64;
const KERNEL_TRIALS = 5;

/** A variant with the resources that its stages write. */
interface BuiltCandidate extends Candidate {
  /** One entry per workload. */
  readonly outputs: readonly BuiltStage["output"][];
}

/** A frame on a device, and what it takes to measure a stage's variants there. */
export interface Workbench {
  build(overrides: Overrides): Promise<BuiltCandidate>;
  destroy(): void;
}

/** The times of each workload's kernels, and of an empty pass beside them. */
async function kernelTimes(clock: PassTimer, built: readonly BuiltStage[]): Promise<KernelTime[]> {
  const rows: KernelTime[] = [];
  for (const [i, one] of built.entries()) {
    const dispatches = [...dispatchesOf(one), { name: "(an empty pass)", work: () => {} }];
    const trials: number[][] = [];
    for (let trial = 0; trial < KERNEL_TRIALS; trial++) {
      trials.push(await clock.time(dispatches.map(({ work }) => work)));
    }
    const us = (k: number) => median(trials.map((trial) => trial[k]));
    rows.push(...dispatches.map(({ name }, k) => ({ workload: i, name, us: us(k) })));
  }
  return rows;
}

/**
 * Uploads `frame` and runs the stages `before` on it once. `workloads` are the same stage with several sets of parameters. Each workload's
 * twin runs when its result is first needed. Rejects with the error of the stage if its input is missing.
 */
export async function openWorkbench(
  gpu: Gpu,
  frame: DepthFrame,
  before: readonly Stage[],
  workloads: readonly Stage[],
): Promise<Workbench> {
  const { device } = gpu;
  const input = new Input(device);
  const made: { destroy(): void }[] = [{ destroy: () => input.clear() }];
  const destroy = () => {
    for (const it of made) it.destroy();
  };
  let shape = shapeOf(frame);
  let resources: FrameResources;
  try {
    resources = await input.prepare(shape, holdingOf(frame), () => {});
    input.write(frame);
    for (const stage of before) {
      const built = await stage.build({ device, shape, input: resources });
      made.push(built);
      submit(device, (pass) => built.encode(pass, AGAIN));
      resources = { ...resources, ...built.output };
      shape = stage.leaves(shape);
    }
  } catch (error) {
    destroy();
    throw error;
  }
  const { transfer, resources: uploaded } = input.ready;
  const read = async ({ depth, raw, shown, color, points, picture }: FrameResources): Promise<CpuFrame> => ({
    depth: await transfer.readDepth(depth),
    raw: raw === uploaded.raw ? frame.depth : raw && (await transfer.readDepth(raw)),
    shown: shown && (await transfer.readDepth(shown)),
    color: color === uploaded.color ? frame.color : color && (await transfer.readColor(color, depth)),
    points: points && (await transfer.readPoints(points)),
    picture: picture && (await transfer.readPicture(picture)),
  });
  const expected = new Map<Stage, CpuFrame>();
  const twinsOf = async (stage: Stage) => {
    const known = expected.get(stage);
    if (known) return known;
    const given = await read(resources);
    const twin = stage.twin(shape);
    twin.run(given, AGAIN);
    expected.set(stage, given);
    // The arrays that the twin wrote are valid until it runs again, so it is kept with them.
    made.push({ destroy: () => twin.destroy?.() });
    return given;
  };
  const faultOf = async (built: readonly BuiltStage[]) => {
    for (const [i, one] of built.entries()) {
      submit(device, (pass) => one.encode(pass, AGAIN));
      const found = await read({ ...resources, ...one.output });
      const [difference] = differencesOf(workloads[i], await twinsOf(workloads[i]), found, one.output);
      if (difference) return difference;
    }
  };
  const clock = openPassTimer(gpu);
  made.push(clock);
  return {
    async build(overrides) {
      const built: BuiltStage[] = [];
      const free = () => {
        for (const one of built) one.destroy();
      };
      try {
        for (const stage of workloads) built.push(await stage.build({ device, shape, input: resources, overrides }));
      } catch (error) {
        free();
        throw error;
      }
      const repeats = built.map(() => 1);
      return {
        outputs: built.map(({ output }) => output),
        time: () => sumOfTimes(clock, built, repeats),
        fault: () => faultOf(built),
        kernels: () => kernelTimes(clock, built),
        destroy: free,
      };
    },
    destroy,
  };
}

/** Runs each workload once, repeated within its pass, and adds up its times for one run, µs. Adapts `repeats` to the times. */
async function sumOfTimes(clock: PassTimer, built: readonly BuiltStage[], repeats: number[]): Promise<number> {
  let sum = 0;
  for (const [i, one] of built.entries()) {
    const times = repeats[i];
    const [all = 0] = await clock.time([
      (pass) => {
        for (let r = 0; r < times; r++) one.encode(pass, AGAIN);
      },
    ]);
    const us = all / times;
    repeats[i] = Math.max(1, Math.min(MOST_REPEATS, Math.ceil(TARGET_US / us)));
    sum += us;
  }
  return sum;
}
