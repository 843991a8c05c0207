import { isBent } from "../../core/calibration/lens.ts";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import type { Stage } from "../../stages/core/stage.ts";

/** Returns a function to be called with each frame: it warns once if stages that assume a pinhole get frames of a lens that bends. */
export function bentWatch(
  stages: readonly Pick<Stage, "role" | "gives">[],
  warn: (line: string) => void,
): (frame: Pick<ProcessedFrame, "shape">) => void {
  let isOver = !stages.some(({ role, gives }) => role === "points" || gives === "pose");
  return ({ shape: { intrinsics } }) => {
    if (isOver || !isBent(intrinsics)) return;
    isOver = true;
    warn(
      "the lens bends rays and the stages take it for a straight one: points and poses are off towards the edges of the image; add the stage undistort",
    );
  };
}
