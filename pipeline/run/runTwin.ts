import type { DepthFrame } from "../../core/frame.ts";
import type { ColorImage, DepthImage, FrameContext, FrameResources } from "../../stages/core/resources.ts";
import type { CpuFrame, Twin } from "../../stages/core/stage.ts";
import type { ChainStep } from "./chain.ts";
import type { Transfer } from "./transfer.ts";

/** The source's frame and the buffers that hold it: these need no readback, since the CPU has the frame already. */
interface Uploaded {
  readonly frame: DepthFrame;
  readonly into: FrameResources;
}

/**
 * Runs the CPU twin of one stage in a GPU chain: reads the stage's input back, runs the twin, and writes its result into the buffers that
 * the kernels would have written. This is slow; it serves to find out which stage makes a wrong frame.
 */
export async function runTwin(
  { input, built: { output } }: ChainStep,
  twin: Twin,
  context: FrameContext,
  transfer: Transfer,
  { frame, into }: Uploaded,
): Promise<void> {
  const depthOf = (image: DepthImage) => (image === into.depth ? frame.depth : transfer.readDepth(image));
  const colorOf = (image: ColorImage) => (image === into.color ? frame.color : transfer.readColor(image, input.depth));
  const [depth, raw, shown, color, points, pose] = await Promise.all([
    depthOf(input.depth),
    input.raw && depthOf(input.raw),
    input.shown && depthOf(input.shown),
    input.color && colorOf(input.color),
    input.points && transfer.readPoints(input.points),
    input.pose && transfer.readPose(input.pose),
  ]);
  const { pair } = frame;
  const result: CpuFrame = { depth, raw, shown, color, pair, points, pose, picture: undefined };
  twin.run(result, context);
  if (output.depth) transfer.writeDepth(result.depth, output.depth);
  if (output.raw && result.raw) transfer.writeDepth(result.raw, output.raw);
  if (output.shown && result.shown) transfer.writeDepth(result.shown, output.shown);
  if (output.color && result.color) transfer.writeColor(result.color, output.color);
  if (output.points && result.points) transfer.writePoints(result.points, output.points);
  if (output.pose && result.pose) transfer.writePose(result.pose, output.pose);
  if (output.picture && result.picture) transfer.writePicture(result.picture, output.picture);
}
