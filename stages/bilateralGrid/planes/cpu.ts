import { image } from "../../../sources/core/frame.ts";
import type { Twin } from "../../core/stage.ts";
import { planeBuild } from "./build.ts";
import { planeScratch } from "./scratch.ts";
import type { PlaneShape } from "./shape.ts";
import { planeSlice } from "./slice.ts";

/** The filter that fits planes, as a CPU twin. Its output array is reused for the next frame. */
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
