import ndarray from "ndarray";
import type { Gpu } from "../../../pipeline/device/gpu.ts";
import { Transfer } from "../../../pipeline/run/transfer.ts";
import type { FrameShape } from "../../../sources/frame.ts";
import { AGAIN } from "../../../stages/moment.ts";
import { createDepthImage, type FrameResources } from "../../../stages/resources.ts";
import type { BuiltStage, Stage } from "../../../stages/stage.ts";
import type { Case } from "../cases.ts";
import type { Input } from "../types.ts";

/** A stage built for one image, with what it reads. */
export interface Built {
  readonly stage: Stage;
  readonly built: BuiltStage;
  readonly input: FrameResources;
  /** Of `input`. */
  readonly shape: FrameShape;
}

/** One image in buffers of its own, and the stages built on them. Several lanes used in turn do not stay in a cache. */
export interface Lane {
  readonly steps: readonly Built[];
  destroy(): void;
}

/**
 * Builds a case once for each image and runs every lane once. Throws what the device says, be it a
 * limit that the frame's size is over or memory that is not there; nothing is left behind then.
 */
export async function buildLanes(gpu: Gpu, { before, timed }: Case, input: Input): Promise<Lane[]> {
  const { device } = gpu;
  const lanes: Lane[] = [];
  device.pushErrorScope("validation");
  device.pushErrorScope("out-of-memory");
  let failure: unknown;
  try {
    for (const image of input.images) lanes.push(await buildLane(gpu, before, timed, input.shape, image));
    await device.queue.onSubmittedWorkDone();
  } catch (error) {
    failure = error;
  }
  const [memory, validation] = [await device.popErrorScope(), await device.popErrorScope()];
  const said = memory ?? validation;
  if (said) failure = new Error(said.message.split("\n")[0]);
  if (failure) {
    for (const lane of lanes) lane.destroy();
    throw failure;
  }
  return lanes;
}

async function buildLane(
  { device }: Gpu,
  before: readonly Stage[],
  timed: readonly Stage[],
  source: FrameShape,
  image: Uint16Array,
): Promise<Lane> {
  let shape = source;
  const { width, height } = shape.intrinsics;
  const depth = createDepthImage(device, "bench input", width, height);
  new Transfer(device, depth.stride * height).writeDepth(ndarray(image, [height, width]), depth);
  const all: Built[] = [];
  const destroy = () => {
    for (const { built } of all) built.destroy();
    depth.buffer.destroy();
  };
  let resources: FrameResources = { depth, color: undefined, points: undefined, picture: undefined };
  try {
    for (const stage of [...before, ...timed]) {
      const built = await stage.build(device, shape, resources);
      all.push({ stage, built, input: resources, shape });
      shape = stage.leaves(shape);
      resources = { ...resources, ...built.output };
    }
  } catch (error) {
    destroy();
    throw error;
  }
  const steps = all.slice(before.length);
  for (const { built } of steps) poison(device, built);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (const { built } of all) built.encode(pass, AGAIN);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return { steps, destroy };
}

const POISON = new Uint32Array(1 << 20).fill(0xdeadbeef);

/** Fills what a stage is to write, so that a slot it leaves out shows. Rows with padding keep it: it is 0 by contract. */
function poison(device: GPUDevice, { output: { depth, points } }: BuiltStage): void {
  const tight = depth && depth.stride === depth.width ? depth.buffer : undefined;
  for (const buffer of [tight, points?.buffer]) {
    if (!buffer || !(buffer.usage & GPUBufferUsage.COPY_DST)) continue;
    for (let at = 0; at < buffer.size; at += POISON.byteLength) {
      device.queue.writeBuffer(buffer, at, POISON, 0, Math.min(POISON.length, (buffer.size - at) / 4));
    }
  }
}
