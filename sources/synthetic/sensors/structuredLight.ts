import { quantisationStepM, STEPS_M } from "../disparity.ts";
import { type Grain, through } from "./field.ts";

/**
 * A Kinect v1's noise in time at 30 Hz: standard deviation in millimetres at metres, as the depths that come out have it. It is
 * what a pixel that looks at a still wall does from frame to frame; Khoshelham and Elberink (2012) and Nguyen, Izadi and Lovell
 * (2012) measured the error against a plane, in which rounding to steps is, too, and which is more than twice as much past 3 m.
 */
export const LIVE_MM = [
  [0.7, 1.2],
  [1.3, 2.3],
  [2.5, 7],
  [5, 17],
] as const;

/**
 * How alike disparity is before it is rounded. After rounding, at 2 to 3 m, neighbours 1, 2, 3 and 5 px apart are alike by .62, .42, .29
 * and .13, as measured: windows that are matched overlap. (What goes through rounding is less alike than what goes in.)
 */
export const GRAIN: Grain = { near: 0.87, decay: 0.755 };
/** Nearer, steps are finer than the noise and take nothing away: a share of the noise is each pixel's own there. */
const OWN = { from: 0.26, perStep: 0.36, most: 0.22 } as const;

const FINEST = 0.005;
/** Standard deviations before rounding, `FINEST` apart, and what is left of each after it. */
const AFTER = Float64Array.from({ length: 600 }, (_, k) => rounded(k * FINEST));

/**
 * Standard deviation in time, over pixels that lie anywhere between two steps, of noise of `sigma` steps that is rounded to whole
 * ones: √(σ² + Σ (1 − exp(−4π²k²σ²)) / 2π²k²). Rounding makes a flicker of little noise, and of no noise none.
 */
export function rounded(sigma: number): number {
  let variance = sigma * sigma;
  for (let k = 1; k <= 40; k++) {
    const w = 2 * Math.PI ** 2 * k * k;
    variance += (1 - Math.exp(-2 * w * sigma * sigma)) / w;
  }
  return Math.sqrt(variance);
}

function beforeRounding(after: number): number {
  let [low, high] = [0, AFTER.length - 1];
  if (after <= AFTER[low]) return 0;
  if (after >= AFTER[high]) return after;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (AFTER[middle] < after) low = middle;
    else high = middle;
  }
  return (high - (AFTER[high] - after) / (AFTER[high] - AFTER[low])) * FINEST;
}

/** By whole steps of disparity: how strong noise is, in steps, the grain's and each pixel's own. */
export interface LiveNoise {
  readonly grain: Float32Array;
  readonly own: Float32Array;
}

/** The noise of a Kinect v1 at each of `count` disparities. */
export function kinectNoise(count: number, quantised: boolean): LiveNoise {
  const sigmaMm = through(LIVE_MM);
  const [grain, own] = [new Float32Array(count), new Float32Array(count)];
  for (let q = 1; q < count; q++) {
    const z = STEPS_M / q;
    const steps = sigmaMm(z) / (1000 * quantisationStepM(z));
    const sigma = quantised ? beforeRounding(steps) : steps;
    const share = Math.min(OWN.most, Math.max(0, OWN.perStep * (sigma - OWN.from)));
    grain[q] = sigma * Math.sqrt(1 - share);
    own[q] = sigma * Math.sqrt(share);
  }
  return { grain, own };
}
