import { type DepthArray, type DepthFrame, image } from "../core/frame.ts";
import type { Losses } from "./losses.ts";

const MOST = 65535;

/** Converts a frame's depth to units of `target` metres. Values that do not fit in 16 bits become 0 and count as losses. */
export function inUnits(
  { depth, metresPerUnit }: Pick<DepthFrame, "depth" | "metresPerUnit">,
  target: number,
  losses?: Losses,
): DepthArray {
  if (metresPerUnit === target) return depth;
  losses?.units(metresPerUnit, target);
  return inWhole(depth.data, metresPerUnit, target, depth.shape, losses);
}

/** Converts depth in units of `from` metres to whole units of `to`. Values that do not fit in 16 bits become 0 and count as losses. */
export function inWhole(
  data: Float32Array | Uint16Array,
  from: number,
  to: number,
  shape: number[],
  losses?: Losses,
): DepthArray {
  const scale = from / to;
  const units = new Uint16Array(data.length);
  let [lost, farthest] = [0, 0];
  for (let i = 0; i < units.length; i++) {
    const value = Math.round(data[i] * scale);
    if (value <= MOST) units[i] = value;
    if (units[i] === 0 && data[i] > 0) {
      lost++;
      farthest = Math.max(farthest, data[i]);
    }
  }
  losses?.depth(lost, farthest * from, MOST * to);
  return image(units, shape);
}
