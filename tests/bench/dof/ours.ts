import { type DepthFrame, shapeOf } from "../../../sources/frame.ts";
import { compact } from "../../../stages/index.ts";
import type { CpuFrame, Stage } from "../../../stages/stage.ts";
import type { Rgba } from "./light.ts";

/** The picture that the stages' twins make of a frame. */
export function drawOnCpu(frame: DepthFrame, stage: Stage): Rgba {
  const state: CpuFrame = { depth: frame.depth, color: frame.color, points: undefined, picture: undefined };
  for (const each of [compact(), stage]) each.twin(shapeOf(frame)).run(state);
  if (!state.picture) throw new Error("the twin left no picture");
  return state.picture;
}
