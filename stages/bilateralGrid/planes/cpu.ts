import { image } from "../../../core/frame.ts";
import type { Twin } from "../../core/stage.ts";
import { planeMemory } from "./memory.ts";
import { planeBuild } from "./planeBuild.ts";
import { planeFit } from "./planeFit.ts";
import { newDesign } from "./planeMoments.ts";
import { planeRefit } from "./planeRefit.ts";
import { planeSlice } from "./planeSlice.ts";
import type { PlaneShape } from "./shape.ts";

/**
 * The twin of shaders/bilateralGrid/plane*.wgsl, of which each has a file of its name here. All numbers are an f32, and each result is
 * rounded, so that twin and kernels have the same bits. A band of rows of tiles is a single row. The output array is reused for the next
 * frame.
 */
export function planeTwin(shape: PlaneShape, memory = planeMemory(shape)): Twin {
  const { width, height, rows } = shape;
  const design = newDesign();
  const filtered = image(new Uint16Array(width * height), [height, width]);
  return {
    run(frame) {
      // Planes need the moments of the next row, second planes the residuals of the next row.
      for (let row = 0; row <= rows + 2; row++) {
        if (row < rows) planeBuild(frame.depth, row, shape, memory);
        if (row <= rows + 1) planeFit(row - 1, shape, memory, design);
        if (row > 0) planeRefit(row - 2, shape, memory);
        if (row > 1) planeSlice(frame.depth, row - 2, shape, memory, filtered);
      }
      frame.depth = filtered;
    },
  };
}
