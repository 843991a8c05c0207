import { type FrameShape, image } from "../../core/frame.ts";
import { type Choice, EDGE, rimFiller } from "../core/rim.ts";
import type { Twin } from "../core/stage.ts";

export interface SplitParameters {
  readonly at: number;
  readonly fillPx: number;
}

/** The first column that shows filtered depth. */
export const columnOf = ({ at }: Pick<SplitParameters, "at">, width: number): number => Math.round(at * width);

/** The kernel's `choice`: how holes of the filtered side are filled. */
export const choiceOf = ({ fillPx }: Pick<SplitParameters, "fillPx">): Choice => ({ mode: EDGE, reach: fillPx });

/** The twin of shaders/split.wgsl, whose comments explain the method. */
export function splitTwin({ intrinsics }: FrameShape, parameters: SplitParameters): Twin {
  const { width, height } = intrinsics;
  const output = image(new Uint16Array(width * height), [height, width]);
  const fromRim = rimFiller(width, height);
  return {
    run(frame) {
      const { depth, raw = depth } = frame;
      const column = columnOf(parameters, width);
      const choice = choiceOf(parameters);
      const [rows, columns] = raw.shape;
      for (let y = 0; y < height; y++) {
        const row = y * width;
        output.data.set(depth.data.subarray(row + column, row + width), row + column);
        for (let x = column; x < width && choice.reach > 0; x++)
          if (depth.data[row + x] === 0) output.data[row + x] = fromRim(depth.data, x, y, choice);
        const from = Math.floor(((2 * y + 1) * rows) / (2 * height)) * columns;
        if (columns === width) output.data.set(raw.data.subarray(from, from + column), row);
        else for (let x = 0; x < column; x++) output.data[row + x] = pixelAt(raw.data, from, x, columns);
      }
      frame.shown = output;
    },
  };

  /** The raw pixel of a row at the centre of column `x` of the smaller, filtered image. */
  function pixelAt(data: Uint16Array, row: number, x: number, columns: number): number {
    return data[row + Math.floor(((2 * x + 1) * columns) / (2 * width))];
  }
}
