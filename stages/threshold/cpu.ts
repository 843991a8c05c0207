import { type FrameShape, image } from "../../sources/frame.ts";
import type { Twin } from "../stage.ts";

export interface ThresholdParameters {
  readonly minM: number;
  readonly maxM: number;
}

/** The range in units of depth, both ends inside. A millionth is given away, so that 2.5 m is 2500 mm whatever floats make of it. */
export function rangeOf({ minM, maxM }: ThresholdParameters, metresPerUnit: number): { least: number; most: number } {
  const least = Math.ceil((minM / metresPerUnit) * (1 - 1e-6));
  const most = Math.floor((maxM / metresPerUnit) * (1 + 1e-6));
  return { least: Math.max(1, least), most: Math.min(65535, most) };
}

/** shaders/threshold.wgsl on the CPU: there is the method. */
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
