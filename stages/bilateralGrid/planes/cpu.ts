import { image } from "../../../core/frame.ts";
import type { Twin } from "../../core/stage.ts";
import { planeBuild } from "./build.ts";
import { planeScratch } from "./scratch.ts";
import type { PlaneShape } from "./shape.ts";
import { planeSlice } from "./slice.ts";

/**
 * The twin of shaders/bilateralGrid/plane*.wgsl. Its output array is reused for the next frame.
 *
 *     planeBuild.wgsl                  build.ts
 *     planeFit.wgsl, planeSolve.wgsl   fit.ts, and residualOf in refit.ts
 *     planeMoments.wgsl                the sums of 3 × 3 tiles and designs, within fit.ts and refit.ts
 *     planeRefit.wgsl                  refit.ts
 *     planeSlice.wgsl                  slice.ts
 *
 * The kernels list the planes that pixels need before they fit them; the twin fits each plane when a pixel first reads it.
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
