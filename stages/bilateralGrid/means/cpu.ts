import { image } from "../../../core/frame.ts";
import type { Twin } from "../../core/stage.ts";
import { blur } from "./blur.ts";
import { build } from "./build.ts";
import type { GridShape } from "./grid.ts";
import { gridScratch } from "./scratch.ts";
import { slice } from "./slice.ts";

/**
 * The twin of build.wgsl, blur.wgsl and slice.wgsl in shaders/bilateralGrid: a function for each kernel, whose own functions share what one
 * loop does here. The output array is reused for the next frame.
 */
export function gridTwin(shape: GridShape): Twin {
  const { width, height } = shape;
  const scratch = gridScratch(shape);
  const filtered = image(new Uint16Array(width * height), [height, width]);
  return {
    run(frame) {
      build(frame.depth, shape, scratch);
      blur(shape, scratch);
      slice(frame.depth, shape, scratch, filtered);
      frame.depth = filtered;
    },
  };
}
