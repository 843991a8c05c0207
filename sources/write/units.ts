import { type DepthArray, type DepthFrame, image } from "../frame.ts";

/** Depth in other units; what does not fit in 16 bits becomes 0. */
export function inUnits({ depth, metresPerUnit }: DepthFrame, target: number): DepthArray {
  if (metresPerUnit === target) return depth;
  return inWhole(depth.data, metresPerUnit / target, depth.shape);
}

/** Depth times `scale`, rounded; what does not fit in 16 bits becomes 0. */
export function inWhole(data: Float32Array | Uint16Array, scale: number, shape: number[]): DepthArray {
  const units = new Uint16Array(data.length);
  for (let i = 0; i < units.length; i++) {
    const value = Math.round(data[i] * scale);
    if (value <= 65535) units[i] = value;
  }
  return image(units, shape);
}
