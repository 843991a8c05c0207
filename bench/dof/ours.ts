import { AGAIN } from "../../stages/core/resources.ts";
import type { CpuFrame } from "../../stages/core/stage.ts";
import { compact } from "../../stages/index.ts";
import { drawOnGpu } from "./draw.ts";
import type { Rgba } from "./light.ts";
import type { Shot } from "./shot.ts";

/** The picture of a shot by the CPU twins. */
export function drawByTwins({ frame, shape, stage }: Shot): Rgba {
  const state = compacted(frame, shape);
  stage.twin(shape).run(state, AGAIN);
  if (!state.picture) throw new Error("the twin left no picture");
  return state.picture;
}

/** The picture of a shot by the GPU kernels. */
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
