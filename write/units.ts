import { type DepthArray, type DepthFrame, image } from "../core/frame.ts";
import type { Losses } from "./losses.ts";

const MOST = 65535;

/**
 * Converts a frame's depth to units of `target` metres, in a new array or in `into`, of as many values. Values that do not fit in 16 bits
 * become 0 and count as losses. Depth that has this unit already is returned as it is.
 */
export function inUnits(
  { depth, metresPerUnit }: Pick<DepthFrame, "depth" | "metresPerUnit">,
  target: number,
  losses?: Losses,
  into?: Uint16Array,
): DepthArray {
  if (metresPerUnit === target) return depth;
  losses?.units(metresPerUnit, target);
  return inWhole(depth.data, metresPerUnit, target, depth.shape, losses, into);
}

/**
 * Converts depth in units of `from` metres to whole units of `to`, in `units`. Values that do not fit in 16 bits become 0 and count as
 * losses.
 */
export function inWhole(
  data: Float32Array | Uint16Array,
  from: number,
  to: number,
  shape: number[],
  losses?: Losses,
  units: Uint16Array = new Uint16Array(data.length),
): DepthArray {
  const scale = from / to;
  let lost = 0;
  let farthest = 0;
  for (let i = 0; i < units.length; i++) {
    const depth = data[i];
    const value = Math.round(depth * scale);
    units[i] = value <= MOST ? value : 0;
    if (units[i] === 0 && depth > 0) {
      lost++;
      if (depth > farthest) farthest = depth;
    }
  }
  losses?.depth(lost, farthest * from, MOST * to);
  return image(units, shape);
}
