import { type FrameShape, image } from "../../sources/core/frame.ts";
import type { Twin } from "../core/stage.ts";

export interface ThresholdParameters {
  readonly minM: number;
  readonly maxM: number;
}

/**
 * The range in depth units, both ends included. A tolerance of one part in a million makes 2.5 m exactly 2500 mm despite rounding of
 * floats.
 */
export function rangeOf({ minM, maxM }: ThresholdParameters, metresPerUnit: number): { least: number; most: number } {
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
      const { least, most } = rangeOf(parameters, metresPerUnit);
      const { data } = frame.depth;
      for (let i = 0; i < data.length; i++) {
        const z = data[i];
        output.data[i] = z >= least && z <= most ? z : 0;
      }
      frame.depth = output;
    },
  };
}
