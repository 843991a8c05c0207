import { quantisationStepM, STEPS_M } from "../disparity.ts";
import { type Grain, through } from "./field.ts";

/**
 * A Kinect v1's noise in time at 30 Hz: metres and the standard deviation of the output depth in millimetres, measured on pixels that look
 * at a still wall. Khoshelham and Elberink (2012) and Nguyen, Izadi and Lovell (2012) measured the error against a plane instead. Theirs
 * includes rounding to steps, and past 3 m is more than twice as large.
 */
export const LIVE_MM = [
  [0.7, 1.2],
  [1.3, 2.3],
  [2.5, 7],
  [5, 17],
] as const;

/**
 * The correlation of disparity between pixels, before rounding; matching windows overlap, so near pixels are alike. Rounding reduces the
 * correlation: at 2 to 3 m pixels 1, 2, 3 and 5 px apart then have .62, .42, .29 and .13, as a real Kinect v1 has.
 */
export const GRAIN: Grain = { near: 0.87, decay: 0.755 };
/** Near the camera the steps are finer than the noise, so rounding reduces no correlation; each pixel has a share of noise of its own. */
const OWN = { from: 0.26, perStep: 0.36, most: 0.22 } as const;

const FINEST = 0.005;
/** For standard deviations before rounding, in steps of `FINEST`: the standard deviation after rounding. */
const AFTER = Float64Array.from({ length: 600 }, (_, k) => rounded(k * FINEST));

/**
 * The standard deviation in time of noise of `sigma` steps after rounding to whole steps: √(σ² + Σ (1 − exp(−4π²k²σ²)) / 2π²k²). It is the
 * mean over pixels whose true depth lies anywhere between two steps. Rounding makes little noise larger (values flicker
 * between two steps), and leaves no noise where there was none.
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

/** The strength of the noise in steps by whole steps of disparity: of the correlated noise, and of each pixel's own. */
export interface LiveNoise {
  readonly grain: Float32Array;
  readonly own: Float32Array;
}

/** A Kinect v1's noise for each of `count` disparities. */
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
