import type { DepthArray } from "../../core/frame.ts";
import { createDepthImage, type FrameContext } from "../../stages/core/resources.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { expectImage, fillWords, image, padded, readWords, runFrame } from "../gpu.ts";
import { at, runner, shapeOf } from "./scenes.ts";

// Runs a stage with a memory on the GPU and by its twin.

/** Runs kernels and twin over the frames, each frame twice, and says where their output differs. */
export async function expectTwinOverTime(
  device: GPUDevice,
  frames: readonly DepthArray[],
  stage: Stage,
  name: string,
  metresPerUnit = 0.001,
) {
  const [height, width] = frames[0]?.shape ?? [0, 0];
  const run = runner(stage, width, height, metresPerUnit);
  const depth = createDepthImage(device, "test", width, height);
  const input = { depth, color: undefined, points: undefined, picture: undefined };
  const built = await stage.build({ device, shape: shapeOf(width, height, metresPerUnit), input });
  const output = built.output.depth;
  if (!output) throw new Error("the stage leaves no depth");
  const gpuRun = async (frame: DepthArray, context: FrameContext) => {
    device.queue.writeBuffer(depth.buffer, 0, padded(frame));
    fillWords(device, output.buffer, 0xabcdabcd);
    runFrame(device, built, context);
    return new Uint16Array((await readWords(device, output.buffer)).buffer);
  };
  for (const [i, frame] of frames.entries()) {
    const context = { ...at(i), follows: i % 7 !== 0 };
    const got = await gpuRun(frame, context);
    const expected = padded(image(run(frame.data, context), width));
    expectImage(got, expected, { width: depth.stride, name: `${name}, frame ${i}` });
    const redrawn = await gpuRun(frame, { ...context, fresh: false });
    expectImage(redrawn, expected, { width: depth.stride, name: `${name}, frame ${i} again` });
  }
  built.destroy();
  depth.buffer.destroy();
}
