import { type SensorNoise, WHITE } from "../core/noise.ts";
import { rounded, type Sigma } from "../core/sigma.ts";
import { JUMP, MOST, ONE, REACH, SIGMA } from "./layout.ts";

/** The stage's parameters. */
export interface TemporalParameters {
  readonly leastGain: number;
  readonly tauSigmas: number;
  readonly sigmaDepthMm: number;
  readonly sigmaDepthPerM2Mm: number;
}

/** The number of pixels in an area. */
const AREA = (2 * REACH + 1) ** 2;

/**
 * Tables for kernel and twin. All computations that are not in whole numbers are here, so that the two agree to the last bit: a product of
 * two f32 is the same everywhere; a quotient or an exponential on a GPU is not.
 */
export interface Rule {
  /** For each depth: the factor from a difference (1/512 of a unit) to sigmas (1/256). */
  readonly scales: Float32Array<ArrayBuffer>;
  /**
   * For each number of valid pixels in an area: the factor from the sum of their changes to the area's change. The factor is 1/√(81 ·
   * pixels), so an area with half its pixels counts 0.7 times.
   */
  readonly weights: Float32Array<ArrayBuffer>;
  /**
   * Two entries for each change or trend of an area (1/256 of a sigma): twice the gain that it demands, and the number of frames that then
   * remain in the mean.
   */
  readonly answers: Float32Array<ArrayBuffer>;
  /** For each count: twice the gain of the next frame. */
  readonly gains: Float32Array<ArrayBuffer>;
}

/** The exponent makes a steep gate: changes that noise causes have no effect, slightly larger ones are followed. */
const STEEP = 16;

/** The change that the mean follows, in sigmas, where noise is fine-grained. */
export const USUAL_TAU = 0.85;
/** With coarse-grained noise the mean follows a change of this many standard deviations of an area's mean, but at most `MOST_TAU`. */
const AREA_SIGMAS = 4.5;
const MOST_TAU = 1.5;

/** The change that the mean follows, in sigmas. Coarse-grained noise moves the mean of whole areas, which should not open the gate. */
export function tauFor(noise: SensorNoise | undefined, { atHandMm, perM2Mm }: Sigma): number {
  if (!noise) return USUAL_TAU;
  const { a, b, farM, still = 0, grain = WHITE } = noise;
  const square = farM * farM;
  const area = (grain * (a + b * square)) / (atHandMm + perM2Mm * square);
  const wanted = Math.max(USUAL_TAU, Math.min(MOST_TAU, AREA_SIGMAS * area));
  return rounded(USUAL_TAU + still * (wanted - USUAL_TAU));
}

/**
 * The largest sigma, in mm per metre. A pixel that changes by 4 sigma begins anew, so a change of 4 % of the depth always does, however
 * noisy the sensor is.
 */
const MOST_MM_PER_M = 10;

export function ruleFor(parameters: TemporalParameters, metresPerUnit: number): Rule {
  const { leastGain, tauSigmas, sigmaDepthMm, sigmaDepthPerM2Mm } = parameters;
  const scales = Float32Array.from({ length: 65536 }, (_, depth) => {
    const metres = depth * metresPerUnit;
    const sigmaMm = Math.min(sigmaDepthMm + sigmaDepthPerM2Mm * metres ** 2, MOST_MM_PER_M * metres);
    return (SIGMA / ONE) * ((metresPerUnit * 1000) / sigmaMm);
  });
  const weights = Float32Array.from({ length: AREA + 1 }, (_, pixels) => 1 / Math.sqrt(AREA * Math.max(1, pixels)));
  const answers = new Float32Array(2 * (JUMP + 1));
  for (let change = 0; change <= JUMP; change++) {
    const gain = -Math.expm1(-((change / SIGMA / tauSigmas) ** STEEP));
    answers[2 * change] = 2 * gain;
    answers[2 * change + 1] = Math.min(MOST, Math.round(1 / Math.max(gain, 1 / MOST)));
  }
  const gains = Float32Array.from({ length: MOST + 1 }, (_, count) => 2 * Math.max(1 / (count + 1), leastGain));
  return { scales, weights, answers, gains };
}
