import { image } from "../../../core/frame.ts";
import type { Twin } from "../../core/stage.ts";
import { planeBuild } from "./planeBuild.ts";
import { planeSlice } from "./planeSlice.ts";
import { planeScratch } from "./scratch.ts";
import type { PlaneShape } from "./shape.ts";

/**
 * The twin of shaders/bilateralGrid/plane*.wgsl. Its output array is reused for the next frame.
 *
 *     planeBuild.wgsl     planeBuild.ts; `blur` is planeBlur
 *     planeFit.wgsl       planeFit.ts, with designOf of planeMoments.wgsl and planeOf of planeSolve.wgsl
 *     planeRefit.wgsl     planeRefit.ts, with residualOf of planeSolve.wgsl
 *     planeSlice.wgsl     planeSlice.ts
 *
 * The kernels list the planes that pixels need before they fit them; the twin fits each plane when a pixel first reads it. The form that
 * reads line against line with the kernels is the one of assembly/, whose files have the kernels' names.
 */
export function planeTwin(shape: PlaneShape): Twin {
  const { width, height } = shape;
  const scratch = planeScratch(shape);
  const filtered = image(new Uint16Array(width * height), [height, width]);
  return {
    run(frame) {
      planeBuild(frame.depth, shape, scratch);
      planeSlice(frame.depth, shape, scratch, filtered);
      frame.depth = filtered;
    },
  };
}
