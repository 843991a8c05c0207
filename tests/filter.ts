import type { ColorArray, DepthArray, FrameShape } from "../sources/frame.ts";
import { AGAIN } from "../stages/moment.ts";
import { createDepthImage } from "../stages/resources.ts";
import type { CpuFrame, Stage } from "../stages/stage.ts";
import { expectImage } from "./compare.ts";
import { fillWords, readWords } from "./gpu.ts";
import { image, padded } from "./recipes.ts";

// Running one stage that makes depth of depth, by its twin and by its kernels.

/** The shape of a frame of `depth`, in millimetres unless told otherwise. */
export function shapeFor(depth: DepthArray, metresPerUnit = 0.001): FrameShape {
  const [height, width] = depth.shape;
  const intrinsics = { fx: 525, fy: 525, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
  return { metresPerUnit, intrinsics };
}

/** All that the twin leaves. */
export function runTwin(stage: Stage, depth: DepthArray, shape = shapeFor(depth), color?: ColorArray): CpuFrame {
  const frame: CpuFrame = { depth, color, points: undefined, picture: undefined };
  stage.twin(shape).run(frame, AGAIN);
  return frame;
}

/** The depth that the kernels leave: the rows as they lie in the buffer, padding included. What was there before is a sentinel. */
export async function runKernels(
  device: GPUDevice,
  stage: Stage,
  given: DepthArray,
  shape = shapeFor(given),
): Promise<Uint16Array> {
  const [height, width] = given.shape;
  const depth = createDepthImage(device, "test", width, height);
  device.queue.writeBuffer(depth.buffer, 0, padded(given));
  const built = await stage.build(device, shape, { depth, color: undefined, points: undefined, picture: undefined });
  const output = built.output.depth;
  if (!output) throw new Error(`${stage.name} leaves no depth`);
  fillWords(device, output.buffer, 0xdeadbeef);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  built.encode(pass, AGAIN);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const words = await readWords(device, output.buffer);
  built.destroy();
  depth.buffer.destroy();
  return new Uint16Array(words.buffer);
}

/** Throws, saying where, unless the kernels leave what the twin leaves, and 0 in the padding. */
export async function expectTwin(
  device: GPUDevice,
  stage: Stage,
  depth: DepthArray,
  name: string,
  shape = shapeFor(depth),
): Promise<void> {
  const twin = runTwin(stage, depth, shape).depth;
  const expected = padded(image(twin.data, twin.shape[1]));
  const layout = { width: expected.length / twin.shape[0], name, tolerance: stage.depthTolerance };
  expectImage(await runKernels(device, stage, depth, shape), expected, layout);
}
