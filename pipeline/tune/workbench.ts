import type { DepthFrame } from "../../sources/core/frame.ts";
import { shapeOf } from "../../sources/core/frame.ts";
import { AGAIN, createDepthImage, type FrameResources } from "../../stages/core/resources.ts";
import type { BuiltStage, CpuFrame, Stage } from "../../stages/core/stage.ts";
import type { Overrides } from "../../stages/core/tuning.ts";
import type { Gpu } from "../device/gpu.ts";
import { Transfer } from "../run/transfer.ts";
import { type Candidate, type KernelTime, median } from "./search.ts";
import { dispatchesOf, openPassTimer, type PassTimer, submit } from "./stopwatch.ts";
import { differencesOf } from "./twinCheck.ts";

/** A pass repeats its work for about this long, so that the cost of its timestamps does not matter. */
const TARGET_US = 2000;
const MOST_REPEATS = 64;
const KERNEL_TRIALS = 5;

/** A variant with the resources that its stages write. */
export interface BuiltCandidate extends Candidate {
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
  let shape = shapeOf(frame);
  const { width, height } = shape.intrinsics;
  const depth = createDepthImage(device, "tune input depth", width, height);
  const transfer = new Transfer(device, depth.stride * height);
  transfer.writeDepth(frame.depth, depth);
  const made: { destroy(): void }[] = [depth.buffer];
  let resources: FrameResources = { depth, color: undefined, points: undefined, picture: undefined };
  if (frame.color) {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ label: "tune input color", size: depth.stride * height * 4, usage });
    made.push(buffer);
    resources = { ...resources, color: { buffer, stride: depth.stride } };
    transfer.writeColor(frame.color, { buffer, stride: depth.stride });
  }
  for (const stage of before) {
    const built = await stage.build(device, shape, resources);
    made.push(built);
    submit(device, (pass) => built.encode(pass, AGAIN));
    resources = { ...resources, ...built.output };
    shape = stage.leaves(shape);
  }
  const uploaded = resources.color;
  const read = async ({ depth, color, points, picture }: FrameResources): Promise<CpuFrame> => ({
    depth: await transfer.readDepth(depth),
    color: color === uploaded ? frame.color : color && (await transfer.readColor(color, depth)),
    points: points && (await transfer.readPoints(points)),
    picture: picture && (await transfer.readPicture(picture)),
  });
  const expected = new Map<Stage, CpuFrame>();
  const twinsOf = async (stage: Stage) => {
    const known = expected.get(stage);
    if (known) return known;
    const given = await read(resources);
    stage.twin(shape).run(given, AGAIN);
    expected.set(stage, given);
    return given;
  };
  const clock = openPassTimer(gpu);
  made.push(clock);
  return {
    async build(overrides) {
      const built: BuiltStage[] = [];
      const destroy = () => {
        for (const one of built) one.destroy();
      };
      try {
        for (const stage of workloads) built.push(await stage.build(device, shape, resources, overrides));
      } catch (error) {
        destroy();
        throw error;
      }
      const repeats = built.map(() => 1);
      return {
        outputs: built.map(({ output }) => output),
        async time() {
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
        },
        async fault() {
          for (const [i, stage] of workloads.entries()) {
            const one = built[i];
            if (!one) continue;
            submit(device, (pass) => one.encode(pass, AGAIN));
            const found = await read({ ...resources, ...one.output });
            const [difference] = differencesOf(stage, await twinsOf(stage), found, one.output);
            if (difference) return difference;
          }
        },
        kernels: () => kernelTimes(clock, built),
        destroy,
      };
    },
    destroy() {
      for (const it of made) it.destroy();
    },
  };
}
