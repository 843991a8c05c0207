import { type FrameShape, image } from "../../core/frame.ts";
import { ParameterError } from "../core/parameters.ts";
import type { Twin } from "../core/stage.ts";

export interface DecimateParameters {
  readonly factor: number;
  readonly take: "median" | "mean";
}

/** The shape of the smaller image: a camera whose pixels are `factor` times as large. Throws a `ParameterError` if no pixel remains. */
export function smallerShape(shape: FrameShape, { factor }: Pick<DecimateParameters, "factor">): FrameShape {
  const { intrinsics } = shape;
  const [width, height] = [Math.floor(intrinsics.width / factor), Math.floor(intrinsics.height / factor)];
  if (width === 0 || height === 0) {
    const size = `${intrinsics.width} × ${intrinsics.height}`;
    throw new ParameterError(`decimate: a factor of ${factor} leaves no pixel of ${size}: lower it`);
  }
  // Pixel centres are at whole numbers, so a block's corner lies half a pixel before its first pixel's centre.
  const [cx, cy] = [(intrinsics.cx + 0.5) / factor - 0.5, (intrinsics.cy + 0.5) / factor - 0.5];
  const [fx, fy] = [intrinsics.fx / factor, intrinsics.fy / factor];
  return { ...shape, intrinsics: { ...intrinsics, width, height, fx, fy, cx, cy } };
}

/** The twin of shaders/decimate/, whose comments explain the method. */
export function decimateTwin(shape: FrameShape, { factor, take }: DecimateParameters): Twin {
  const from = shape.intrinsics.width;
  const { width, height } = smallerShape(shape, { factor }).intrinsics;
  const depth = image(new Uint16Array(width * height), [height, width]);
  const color = image(new Uint8Array(width * height * 4), [height, width, 4]);

  return {
    run(frame) {
      for (let y = 0, i = 0; y < height; y++) {
        for (let x = 0; x < width; x++, i++) depth.data[i] = pixelOf(frame.depth.data, x, y);
      }
      frame.depth = depth;
      if (!frame.color) return;
      mix(frame.color.data);
      frame.color = color;
    },
  };

  function pixelOf(data: Uint16Array, x: number, y: number): number {
    const corner = factor * (y * from + x);
    let count = 0;
    let sum = 0;
    let low = 0xffff;
    let high = 0;
    for (let v = 0; v < factor; v++) {
      for (let u = 0; u < factor; u++) {
        const z = data[corner + v * from + u];
        if (z === 0) continue;
        count++;
        sum += z;
        low = Math.min(low, z);
        high = Math.max(high, z);
      }
    }
    if (count === 0) return 0;
    if (take === "mean") return Math.floor((2 * sum + count) / (2 * count));
    // Invalid pixels (0) lie below all others and count in the rank.
    const rank = factor * factor - count + ((count - 1) >> 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (below(data, corner, middle) <= rank) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function below(data: Uint16Array, corner: number, bound: number): number {
    let count = 0;
    for (let v = 0; v < factor; v++) {
      // The sign bit is 1 below the bound. A branch, which noise would decide, takes up to twice as long.
      for (let u = 0; u < factor; u++) count += (data[corner + v * from + u] - bound) >>> 31;
    }
    return count;
  }

  /** The twin of shaders/decimate/color.wgsl. */
  function mix(data: Uint8Array): void {
    const count = factor * factor;
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        for (let c = 0; c < 4; c++, i++) {
          let sum = 0;
          for (let v = 0; v < factor; v++) {
            const start = ((y * factor + v) * from + x * factor) * 4 + c;
            for (let u = 0; u < factor; u++) sum += data[start + 4 * u];
          }
          color.data[i] = Math.floor((2 * sum + count) / (2 * count));
        }
      }
    }
  }
}
