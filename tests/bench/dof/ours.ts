import { compact } from "../../../stages/index.ts";
import { AGAIN } from "../../../stages/moment.ts";
import type { CpuFrame } from "../../../stages/stage.ts";
import { drawOnGpu } from "../../scenes/draw.ts";
import type { Rgba } from "./light.ts";
import type { Shot } from "./shot.ts";

/** The twins' picture of a shot. */
export function drawByTwins({ frame, shape, stage }: Shot): Rgba {
  const state = compacted(frame, shape);
  stage.twin(shape).run(state, AGAIN);
  if (!state.picture) throw new Error("the twin left no picture");
  return state.picture;
}

/** The kernels' picture of a shot. */
export async function drawByKernels(device: GPUDevice, { frame, shape, stage }: Shot): Promise<Rgba> {
  const { points } = compacted(frame, shape);
  if (!points) throw new Error("the twin left no points");
  return drawOnGpu(device, stage, { shape, points, depth: frame.depth });
}

function compacted({ depth, color }: Shot["frame"], shape: Shot["shape"]): CpuFrame {
  const state: CpuFrame = { depth, color, points: undefined, picture: undefined };
  compact().twin(shape).run(state, AGAIN);
  return state;
}
