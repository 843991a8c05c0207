import { image } from "../../core/frame.ts";
import type { Twin } from "../core/stage.ts";
import { createSize3, type MedianFilter } from "./size3.ts";
import { createSize5 } from "./size5.ts";
import { keepThin } from "./thin.ts";

/**
 * The masked median for images of `height` × `width`. The filter writes every pixel of its output: a valid pixel becomes the lower median
 * of the valid (non-zero) values in its window, of which there are fewer at the border; an invalid pixel stays 0. This function allocates
 * the scratch memory (two rows of columns); the filter allocates nothing.
 */
export function createMedian(size: 3 | 5, width: number, height: number): MedianFilter {
  const plain = size === 3 ? createSize3(width, height) : createSize5(width, height);
  return (input, output) => {
    plain(input, output);
    keepThin(input.data, output.data, width, height, size === 3);
  };
}

/** The median as a CPU twin. Its output array is reused for the next frame. */
export function medianTwin(size: 3 | 5, width: number, height: number): Twin {
  const filter = createMedian(size, width, height);
  const output = image(new Uint16Array(width * height), [height, width]);
  return {
    run(frame) {
      filter(frame.depth, output);
      frame.depth = output;
    },
  };
}
