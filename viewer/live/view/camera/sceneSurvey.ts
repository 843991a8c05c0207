import type { DepthFrame } from "../../../../core/frame.ts";

/** Statistics of a scene's depths; metres. */
export interface Survey {
  /** Whether nothing was measured: then the other values are defaults. */
  readonly blank: boolean;
  /** The median depth. */
  readonly middleM: number;
  /** The first distance in focus, nearer than 90% of the scene: things in front are sharp, and the room behind them is not. */
  readonly focusM: number;
  readonly nearM: number;
  readonly farM: number;
  /** The estimated height of the floor below the sensor: 98% of the scene lies above. */
  readonly floorM: number;
}

/** Samples some thousand pixels of a frame. */
export function surveyOf({ depth, metresPerUnit, intrinsics }: DepthFrame): Survey {
  const { width, height, fy, cy } = intrinsics;
  const step = Math.max(1, Math.round(Math.sqrt((width * height) / 5000)));
  const depths: number[] = [];
  const heights: number[] = [];
  for (let y = 0; y < height; y += step) {
    for (let x = 0; x < width; x += step) {
      const z = depth.data[y * width + x] * metresPerUnit;
      if (z === 0) continue;
      depths.push(z);
      heights.push(((y - cy) / fy) * z);
    }
  }
  const at = (values: number[], share: number, fallback: number) =>
    values.sort((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? fallback;
  return {
    blank: depths.length === 0,
    middleM: at(depths, 0.5, 2),
    focusM: at(depths, 0.1, 2),
    nearM: at(depths, 0.01, 0.5),
    farM: at(depths, 0.99, 4),
    floorM: at(heights, 0.98, 1),
  };
}
