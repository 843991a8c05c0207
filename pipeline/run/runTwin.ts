import type { DepthFrame } from "../../sources/frame.ts";
import type { Moment } from "../../stages/moment.ts";
import type { ColorImage, DepthImage, FrameResources } from "../../stages/resources.ts";
import type { CpuFrame, Twin } from "../../stages/stage.ts";
import type { Step } from "./chain.ts";
import type { Transfer } from "./transfer.ts";

/** A frame and the resources that it was uploaded into: those need not be read back. */
interface Uploaded {
  readonly frame: DepthFrame;
  readonly into: FrameResources;
}

/**
 * Runs a step's twin in a GPU's chain: what the step is handed is read back, what the twin leaves is written where the kernels would
 * have left it. Slow, and how a wrong frame is bisected.
 */
export async function runTwin(
  { input, built: { output } }: Step,
  twin: Twin,
  moment: Moment,
  transfer: Transfer,
  { frame, into }: Uploaded,
): Promise<void> {
  const depthOf = (image: DepthImage) => (image === into.depth ? frame.depth : transfer.readDepth(image));
  const colorOf = (image: ColorImage) => (image === into.color ? frame.color : transfer.readColor(image, input.depth));
  const [depth, raw, shown, color, points] = await Promise.all([
    depthOf(input.depth),
    input.raw && depthOf(input.raw),
    input.shown && depthOf(input.shown),
    input.color && colorOf(input.color),
    input.points && transfer.readPoints(input.points),
  ]);
  const left: CpuFrame = { depth, raw, shown, color, points, picture: undefined };
  twin.run(left, moment);
  if (output.depth) transfer.writeDepth(left.depth, output.depth);
  if (output.raw && left.raw) transfer.writeDepth(left.raw, output.raw);
  if (output.shown && left.shown) transfer.writeDepth(left.shown, output.shown);
  if (output.color && left.color) transfer.writeColor(left.color, output.color);
  if (output.points && left.points) transfer.writePoints(left.points, output.points);
  if (output.picture && left.picture) transfer.writePicture(left.picture, output.picture);
}
