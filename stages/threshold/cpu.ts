import { type FrameShape, image } from "../../core/frame.ts";
import type { Twin } from "../core/stage.ts";

export interface ThresholdParameters {
  readonly minM: number;
  readonly maxM: number;
}

/** In depth units; both ends belong to the range. */
interface Range {
  readonly least: number;
  readonly most: number;
}

/**
 * The range of valid depth. A tolerance of one part in a million makes 2.5 m exactly 2500 mm, although floats are rounded.
 */
export function rangeOf({ minM, maxM }: ThresholdParameters, metresPerUnit: number): Range {
  const least = Math.ceil((minM / metresPerUnit) * (1 - 1e-6));
  const most = Math.floor((maxM / metresPerUnit) * (1 + 1e-6));
  return { least: Math.max(1, least), most: Math.min(65535, most) };
}

/** The twin of shaders/threshold.wgsl, whose comments explain the method. */
export function thresholdTwin({ intrinsics, metresPerUnit }: FrameShape, parameters: ThresholdParameters): Twin {
  const { width, height } = intrinsics;
  const output = image(new Uint16Array(width * height), [height, width]);
  return {
    run(frame) {
      const range = rangeOf(parameters, metresPerUnit);
      const { data } = frame.depth;
      for (let i = 0; i < data.length; i++) output.data[i] = kept(data[i], range);
      frame.depth = output;
    },
  };
}

const kept = (z: number, { least, most }: Range) => (z >= least && z <= most ? z : 0);
