import type { DepthFrame } from "../core/frame.ts";
import type { Noise } from "../stages/core/noise.ts";
import { eachAround } from "./square.ts";

/**
 * One pixel in ASK is examined. A pixel's depth has changed if it differs by more than CHANGED times the noise plus the share BESIDE of the
 * depth, or BESIDE_AT_FIRST while the noise is not known yet from three frames. The camera has moved, too, if from one frame to the next
 * depth changes in the mean by more than the share SHIFT and by more than SHIFT_STEPS steps. A change counts where TOGETHER pixels of a
 * square of nine, the one in its middle among them, change in the same direction.
 */
const ASK = 7;
const CHANGED = 6;
const TOGETHER = 6;
const BESIDE = 0.006;
const BESIDE_AT_FIRST = 0.05;
const SHIFT = 0.0025;
const SHIFT_STEPS = 1.5;

/**
 * The share of the steady pixels whose depth has changed in a frame, and by how much depth differs in the mean: 1 is much for two frames of
 * a camera that stands. `metresAt` gives a pixel's steady depth until now, 0 where there is none. A pixel that changes alone flickers, and
 * does not count: what moves changes whole areas.
 */
export function changeIn(
  { depth: { data }, metresPerUnit, intrinsics }: DepthFrame,
  metresAt: (i: number) => number,
  noise: Noise | undefined,
  isNoiseKnown: boolean,
): { readonly share: number; readonly shift: number } {
  /** How much further a pixel is than until now, and the most that is no change. */
  const changeAt = (i: number) => {
    const metres = data[i] === 0 ? 0 : metresAt(i);
    const off = metres === 0 ? 0 : data[i] * metresPerUnit - metres;
    const most = (CHANGED * (noise?.sigmaMm(metres) ?? 0)) / 1000 + (isNoiseKnown ? BESIDE : BESIDE_AT_FIRST) * metres;
    return { metres, off, most };
  };
  let [seen, changed, sum, shift] = [0, 0, 0, 0];
  for (let i = 0; i < data.length; i += ASK) {
    const { metres, off, most } = changeAt(i);
    if (metres === 0) continue;
    seen++;
    sum += metres;
    shift += Math.max(-most, Math.min(most, off));
    if (Math.abs(off) <= most) continue;
    let together = 0;
    eachAround(i, intrinsics, 1, (j) => {
      const other = changeAt(j);
      if (Math.sign(off) * other.off > other.most) together++;
    });
    if (together >= TOGETHER) changed++;
  }
  const steps = (SHIFT_STEPS * seen * (noise?.stepMm(sum / Math.max(1, seen)) ?? 0)) / 1000;
  return {
    share: changed / Math.max(1, seen),
    shift: isNoiseKnown && seen > 0 ? shift / Math.max(SHIFT * sum, steps) : 0,
  };
}
