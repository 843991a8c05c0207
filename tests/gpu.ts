import { afterAll, beforeAll, beforeEach, type TestContext } from "vitest";
import type { Gpu } from "../pipeline/device/gpu.ts";
import { openGpu } from "../pipeline/device/open.ts";
import { submit } from "../pipeline/tune/stopwatch.ts";
import { AGAIN, type FrameContext } from "../stages/core/frameContext.ts";
import type { BuiltStage } from "../stages/core/stage.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The test has asked for the GPU: the reporter counts those. */
    gpu?: true;
  }
}

/**
 * A GPU for the tests of a file: the software one unless DEPTHLOOM_TEST_ADAPTER=hardware.
 * There is always one (it comes out of an npm package), so that no GPU test is ever skipped; validation errors fail the file.
 */
export function useGpu(): { readonly device: GPUDevice; readonly gpu: Gpu } {
  let gpu: Gpu | null = null;
  const errors: string[] = [];
  let running: TestContext["task"] | undefined;
  beforeEach(({ task }) => {
    running = task;
    return () => {
      running = undefined;
    };
  });
  beforeAll(async () => {
    gpu = await openGpu(process.env.DEPTHLOOM_TEST_ADAPTER === "hardware" ? "hardware" : "software");
    gpu?.device.addEventListener("uncapturederror", (event) => errors.push(event.error.message));
  });
  afterAll(async () => {
    await gpu?.destroy();
    gpu = null;
    if (errors.length > 0) throw new Error(`WebGPU errors nobody caught:\n${errors.join("\n")}`);
  });
  const opened = () => {
    if (!gpu) throw new Error("the GPU is there only inside a test");
    if (running) running.meta.gpu = true;
    return gpu;
  };
  return {
    get gpu() {
      return opened();
    },
    get device() {
      return opened().device;
    },
  };
}

/** The words of a buffer that has COPY_SRC, from `offset` bytes, `size` bytes long (all of it by default). */
export async function readWords(
  device: GPUDevice,
  buffer: GPUBuffer,
  offset = 0,
  size = buffer.size - offset,
): Promise<Uint32Array> {
  const copy = device.createBuffer({
    label: "test readback",
    size,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, offset, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange().slice(0));
  copy.destroy();
  return words;
}

/** Submits a frame of a stage. */
export const runFrame = (device: GPUDevice, built: Pick<BuiltStage, "encode">, context: FrameContext = AGAIN): void =>
  submit(device, (pass) => built.encode(pass, context), "test");

/** Fills a buffer with a sentinel, so that a slot no kernel wrote shows. */
export function fillWords(device: GPUDevice, buffer: GPUBuffer, word: number): void {
  device.queue.writeBuffer(buffer, 0, new Uint32Array(buffer.size / 4).fill(word));
}
