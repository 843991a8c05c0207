import { type FrameShape, image } from "../../sources/core/frame.ts";
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
  const block = new Uint16Array(factor * factor);

  return {
    run(frame) {
      const pick = take === "mean" ? meanOf : medianOf;
      for (let y = 0, i = 0; y < height; y++) {
        for (let x = 0; x < width; x++, i++) depth.data[i] = pick(collect(frame.depth.data, x, y));
      }
      frame.depth = depth;
      if (!frame.color) return;
      mix(frame.color.data);
      frame.color = color;
    },
  };

  /** Collects the block's valid pixels in `block`. Returns their number. */
  function collect(data: Uint16Array, x: number, y: number): number {
    let count = 0;
    for (let v = 0; v < factor; v++) {
      const start = (y * factor + v) * from + x * factor;
      for (let u = 0; u < factor; u++) if (data[start + u] !== 0) block[count++] = data[start + u];
    }
    return count;
  }

  function meanOf(count: number): number {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += block[i];
    return count === 0 ? 0 : Math.floor((2 * sum + count) / (2 * count));
  }

  function medianOf(count: number): number {
    // Insertion sort: on a smooth surface the depths come nearly in order.
    for (let i = 1; i < count; i++) {
      const z = block[i];
      let to = i;
      for (; to > 0 && block[to - 1] > z; to--) block[to] = block[to - 1];
      block[to] = z;
    }
    return count === 0 ? 0 : block[(count - 1) >> 1];
  }

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
