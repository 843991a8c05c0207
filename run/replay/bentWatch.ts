import type { ProcessedFrame } from "../../pipeline/index.ts";
import type { Stage } from "../../stages/core/stage.ts";

/** Returns what warns once, where stages that take the lens for a pinhole's are given frames of a bent lens; call it with each frame. */
export function bentWatch(
  stages: readonly Pick<Stage, "role" | "gives">[],
  warn: (line: string) => void,
): (frame: Pick<ProcessedFrame, "shape">) => void {
  let isOver = !stages.some(({ role, gives }) => role === "points" || gives === "pose");
  return ({ shape: { intrinsics } }) => {
    if (isOver || !intrinsics.distortion?.some((value) => value !== 0)) return;
    isOver = true;
    warn(
      "the lens bends rays and the stages take it for a straight one: points and poses are off towards the edges of the image; add the stage undistort",
    );
  };
}
