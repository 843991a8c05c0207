import { image } from "../../sources/frame.ts";
import type { Twin } from "../stage.ts";
import { createSimd } from "./simd.ts";
import { createSize3, type MedianFilter } from "./size3.ts";
import { createSize5 } from "./size5.ts";

/**
 * The masked median of images of `height` × `width`: a function from one `DepthArray` into another, every pixel of which it
 * writes. A valid pixel becomes the lower median of the valid (non-zero) values in the window around it, which holds fewer
 * values at the border; an invalid one stays 0. Scratch is two rows of columns, allocated here; a call allocates nothing.
 */
export function createMedian(size: 3 | 5, width: number, height: number): MedianFilter {
  return size === 3 ? createSize3(width, height) : createSize5(width, height);
}

/**
 * The median as a stage of the CPU backend, in WebAssembly's vectors where there are some. Its output array is used again for
 * the next frame.
 */
export function medianTwin(size: 3 | 5, width: number, height: number): Twin {
  const fast = createSimd(size, width, height);
  if (fast) {
    return {
      run(frame) {
        frame.depth = fast(frame.depth);
      },
    };
  }
  const filter = createMedian(size, width, height);
  const output = image(new Uint16Array(width * height), [height, width]);
  return {
    run(frame) {
      filter(frame.depth, output);
      frame.depth = output;
    },
  };
}
