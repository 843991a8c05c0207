import type { DepthFrame } from "../../sources/frame.ts";
import type { Camera } from "../../stages/dofSplat/camera.ts";

/** Mean radius of the circle of confusion over a frame's points, px, seen from the sensor's own place and without a bound. */
export function meanRadius({ depth, metresPerUnit }: DepthFrame, { blur, inverseFocus }: Camera): number {
  let [sum, count] = [0, 0];
  for (const units of depth.data) {
    if (units === 0) continue;
    sum += blur * Math.abs(inverseFocus - 1 / (units * metresPerUnit));
    count++;
  }
  return sum / Math.max(count, 1);
}
