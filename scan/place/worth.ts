import { invertBlock } from "./elimination.ts";
import type { Aligned } from "./icp.ts";

/**
 * An alignment counts as this many independent pixels (errors of neighbours are alike): the first without brightness, the second with it.
 */
export const WORTH = 100;
const LIT_WORTH = 30;
/** The least noise of an alignment, m. */
export const NOISE_M = 0.003;

/** The standard deviation of an alignment's shift, m. */
export function unsureM(aligned: Aligned): number {
  const covariance = worthOf(aligned);
  return invertBlock(covariance) ? Math.sqrt(covariance[0] + covariance[7] + covariance[14]) : Infinity;
}

/** The information of an alignment, plus that of a standard deviation if one is given. */
export function worthOf(aligned: Aligned | undefined, deviation = Infinity): Float64Array {
  const out = new Float64Array(36);
  for (let k = 0; k < 36; k += 7) out[k] = 1 / deviation ** 2;
  const scale = aligned ? (aligned.isLit ? LIT_WORTH : WORTH) / (aligned.rmsM ** 2 + NOISE_M ** 2) : 0;
  for (let r = 0, at = 0; r < 6; r++) {
    for (let c = r; c < 6; c++, at++) {
      out[6 * r + c] += scale * (aligned?.normal[at] ?? 0);
      out[6 * c + r] = out[6 * r + c];
    }
  }
  return out;
}
