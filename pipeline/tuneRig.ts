import type { DepthFrame } from "../sources/frame.ts";
import { shapeOf } from "../sources/frame.ts";
import { createDepthImage, type FrameResources } from "../stages/resources.ts";
import type { BuiltStage, CpuFrame, Stage } from "../stages/stage.ts";
import type { Overrides } from "../stages/tuning.ts";
import type { Gpu } from "./device.ts";
import { Transfer } from "./transfer.ts";
import { differenceOf } from "./tuneCheck.ts";
import type { Candidate } from "./tuneSearch.ts";

/** Work between two stamps, so that what a stamp costs does not count. */
const TARGET_US = 2000;
const MOST_REPEATS = 64;

/** A frame on a device, with what a stage's variants are measured by. */
export interface Rig {
  build(overrides: Overrides): Promise<Candidate>;
  destroy(): void;
}

/**
 * Uploads the frame, runs the stages `before` on it once, and asks the twins what each of `workloads` (one stage under
 * several parameters) should give. Throws what a stage throws that lacks something.
 */
export async function openRig(
  gpu: Gpu,
  frame: DepthFrame,
  before: readonly Stage[],
  workloads: readonly Stage[],
): Promise<Rig> {
  const { device } = gpu;
  const shape = shapeOf(frame);
  const { width, height } = shape.intrinsics;
  const depth = createDepthImage(device, "tune input depth", width, height);
  const transfer = new Transfer(device, width, height, depth.stride);
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
    submit(device, {}, [built]);
    resources = { ...resources, ...built.output };
  }
  const read = async ({ depth, points, picture }: FrameResources): Promise<CpuFrame> => ({
    depth: await transfer.readDepth(depth),
    color: frame.color,
    points: points && (await transfer.readPoints(points)),
    picture: picture && (await transfer.readPicture(picture)),
  });
  const expected: CpuFrame[] = [];
  for (const stage of workloads) {
    const given = await read(resources);
    stage.twin(shape).run(given);
    expected.push(given);
  }
  const clock = openClock(gpu);
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
        async time() {
          let sum = 0;
          for (const [i, one] of built.entries()) {
            const times = repeats[i] ?? 1;
            const us = (await clock.time(Array.from({ length: times }, () => one))) / times;
            repeats[i] = Math.max(1, Math.min(MOST_REPEATS, Math.ceil(TARGET_US / us)));
            sum += us;
          }
          return sum;
        },
        async fault() {
          for (const [i, one] of built.entries()) {
            submit(device, {}, [one]);
            const difference = differenceOf(expected[i], await read({ ...resources, ...one.output }), one.output);
            if (difference) return difference;
          }
        },
        destroy,
      };
    },
    destroy() {
      for (const it of made) it.destroy();
    },
  };
}

function submit(
  device: GPUDevice,
  descriptor: GPUComputePassDescriptor,
  stages: readonly BuiltStage[],
  then?: (encoder: GPUCommandEncoder) => void,
) {
  const encoder = device.createCommandEncoder({ label: "tune" });
  const pass = encoder.beginComputePass(descriptor);
  for (const stage of stages) stage.encode(pass);
  pass.end();
  then?.(encoder);
  device.queue.submit([encoder.finish()]);
}

/** Times a pass on the GPU's clock; where there is none, from submit to done on the wall clock. Microseconds. */
function openClock({ device, timestamps }: Gpu) {
  if (!timestamps) {
    return {
      async time(stages: readonly BuiltStage[]) {
        const begin = performance.now();
        submit(device, {}, stages);
        await device.queue.onSubmittedWorkDone();
        return (performance.now() - begin) * 1000;
      },
      destroy() {},
    };
  }
  const querySet = device.createQuerySet({ label: "tune", type: "timestamp", count: 2 });
  const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const resolved = device.createBuffer({ label: "tune stamps", size: 16, usage: QUERY_RESOLVE | COPY_SRC });
  const mapped = device.createBuffer({ label: "tune stamps mapped", size: 16, usage: MAP_READ | COPY_DST });
  const stamps = { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
  const time = async (stages: readonly BuiltStage[]): Promise<number> => {
    submit(device, { timestampWrites: stamps }, stages, (encoder) => {
      encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, mapped, 0, 16);
    });
    await mapped.mapAsync(GPUMapMode.READ);
    const [begin = 0n, end = 0n] = new BigUint64Array(mapped.getMappedRange().slice(0));
    mapped.unmap();
    // The clock may run backwards: that is legal, and such a run is made again.
    return end > begin ? Number(end - begin) / 1000 : time(stages);
  };
  return {
    time,
    destroy() {
      for (const it of [querySet, resolved, mapped]) it.destroy();
    },
  };
}
