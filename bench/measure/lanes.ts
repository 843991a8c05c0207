import { image } from "../../core/array.ts";
import type { FrameShape } from "../../core/frame.ts";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { Transfer } from "../../pipeline/run/transfer.ts";
import { submit } from "../../pipeline/tune/stopwatch.ts";
import { Pool } from "../../stages/core/pool.ts";
import { createDepthImage, type FrameContext, type FrameResources } from "../../stages/core/resources.ts";
import type { BuiltStage, Stage } from "../../stages/core/stage.ts";
import type { Case } from "../cases.ts";
import type { Input } from "../types.ts";
import { Film, HISTORY } from "./film.ts";

/** A stage built for one image, with its inputs. */
interface Built {
  readonly stage: Stage;
  readonly built: BuiltStage;
  readonly input: FrameResources;
  /** The shape of `input`. */
  readonly shape: FrameShape;
}

/** One image in buffers of its own, and the stages built on them. Several lanes, used in turn, do not fit in a cache. */
export interface Lane {
  readonly steps: readonly Built[];
  /** Shared by all lanes of a case: a stage's memory is common to them, so their images follow one another. */
  readonly film: Film;
  destroy(): void;
}

/**
 * Builds a case once for each image and runs every lane once; with a memory, until it is well filled. Throws the device's error, such as a
 * limit that the frame's size exceeds or a lack of memory, and then leaves nothing behind.
 */
export async function buildLanes(gpu: Gpu, { before, timed }: Case, input: Input): Promise<Lane[]> {
  const { device } = gpu;
  const lanes: Lane[] = [];
  const remembering = timed.filter(({ remembers }) => remembers);
  const memories = new Map(remembering.map((stage) => [stage, new Pool(device, stage.name)]));
  const film = new Film();
  device.pushErrorScope("validation");
  device.pushErrorScope("out-of-memory");
  let failure: unknown;
  try {
    const build = (image: Uint16Array) => buildLane(device, { before, timed }, input.shape, image, memories, film);
    for (const image of input.images) lanes.push(await build(image));
    if (memories.size > 0) for (let i = lanes.length; i < HISTORY; i++) runLane(device, lanes[i % lanes.length]);
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
  device: GPUDevice,
  { before, timed }: Pick<Case, "before" | "timed">,
  source: FrameShape,
  pixels: Uint16Array,
  memories: ReadonlyMap<Stage, Pool>,
  film: Film,
): Promise<Lane> {
  let shape = source;
  const { width, height } = shape.intrinsics;
  const depth = createDepthImage(device, "bench input", width, height);
  new Transfer(device, depth.stride * height).writeDepth(image(pixels, [height, width]), depth);
  const all: Built[] = [];
  const destroy = () => {
    for (const { built } of all) built.destroy();
    depth.buffer.destroy();
  };
  let resources: FrameResources = { depth, color: undefined, points: undefined, picture: undefined };
  try {
    for (const stage of [...before, ...timed]) {
      const memory = memories.get(stage);
      const built = await stage.build({ device, shape, input: resources, pool: memory });
      memory?.finish();
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
  const context = film.next();
  submit(device, (pass) => {
    for (const { built } of all) built.encode(pass, context);
  });
  return { steps, film, destroy };
}

/** Submits each frame separately, since a stage may write data for this frame to the queue. */
export function runLane(device: GPUDevice, { steps, film }: Lane): FrameContext {
  const context = film.next();
  const encode = (pass: GPUComputePassEncoder) => {
    for (const { built } of steps) built.encode(pass, context);
  };
  submit(device, encode, "bench lane");
  return context;
}

const POISON = new Uint32Array(1 << 20).fill(0xdeadbeef);

/** Fills a stage's output beforehand, so that slots which it does not write show. Padding at the rows' ends stays 0, by contract. */
export function poison(device: GPUDevice, { output: { depth, points } }: BuiltStage): void {
  const tight = depth && depth.stride === depth.width ? depth.buffer : undefined;
  for (const buffer of [tight, points?.buffer]) {
    if (!buffer || !(buffer.usage & GPUBufferUsage.COPY_DST)) continue;
    for (let at = 0; at < buffer.size; at += POISON.byteLength) {
      device.queue.writeBuffer(buffer, at, POISON, 0, Math.min(POISON.length, (buffer.size - at) / 4));
    }
  }
}
