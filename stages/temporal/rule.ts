import { type SensorNoise, WHITE } from "../core/noise.ts";
import { rounded, type Sigma } from "../core/sigma.ts";
import { AREA, JUMP, MIXED, MOST, ONE, PIXELS_BITS, SIGMA, WHOLE } from "./layout.ts";

/** The stage's parameters. */
export interface TemporalParameters {
  readonly leastGain: number;
  readonly tauSigmas: number;
  readonly sigmaDepthMm: number;
  readonly sigmaDepthPerM2Mm: number;
}

/**
 * Tables for kernel and twin. All computations that are not in whole numbers are here, so that the two agree to the last bit: a product of
 * two f32 is the same everywhere; a quotient or an exponential on a GPU is not.
 */
export interface Rule {
  /** For each depth: the factor from a difference (1/512 of a unit) to sigmas (1/256). */
  readonly scales: Float32Array<ArrayBuffer>;
  /**
   * For every 16 valid pixels of an area: the factor from the sum of their changes to the area's change. The factor is 1/√(1024 · pixels),
   * so an area with half its pixels counts 0.7 times.
   */
  readonly weights: Float32Array<ArrayBuffer>;
  /** For each change or trend of an area (1/256 of a sigma): the gain that it demands, a whole number of 1/16384. */
  readonly answers: Float32Array<ArrayBuffer>;
  /** For each 1/256 of a gain: the number of frames that remain in the mean. */
  readonly frames: Float32Array<ArrayBuffer>;
  /** For each count: twice the gain of the next frame. */
  readonly gains: Float32Array<ArrayBuffer>;
  /** For each depth: the factor from a mixed offset (1/65536 of a sigma) to 1/512 of a unit. */
  readonly spans: Float32Array<ArrayBuffer>;
}

/** The exponent makes a steep gate: changes that noise causes have no effect, slightly larger ones are followed. */
const STEEP = 16;

/** The change that the mean follows, in sigmas, where noise is fine-grained. */
export const USUAL_TAU = 0.85;
/**
 * With coarse-grained noise the mean follows a change of this many standard deviations of the mean of 9 × 9 pixels, but at most `MOST_TAU`.
 */
const AREA_SIGMAS = 4.5;
const MOST_TAU = 1.5;
/** Sigma is at least the noise times its grain times this, so that a blob of noise does not count as pixels that moved. */
const TIMES_GRAIN = 2;

/** Sigma is at least this many times the noise. */
export const timesNoise = (noise: SensorNoise | undefined): number =>
  rounded(Math.max(1, TIMES_GRAIN * (noise?.grain ?? WHITE)));

/** The change that the mean follows, in sigmas. Coarse-grained noise moves the mean of whole areas, which should not open the gate. */
export function tauFor(noise: SensorNoise | undefined, { atHandMm, perM2Mm }: Sigma): number {
  if (!noise) return USUAL_TAU;
  const { a, b, farM, grain = WHITE } = noise;
  const square = farM * farM;
  const area = (grain * (a + b * square)) / (atHandMm + perM2Mm * square);
  return rounded(Math.max(USUAL_TAU, Math.min(MOST_TAU, AREA_SIGMAS * area)));
}

/**
 * The largest sigma, in mm per metre. A pixel that changes by 4 sigma begins anew, so a change of 4 % of the depth always does, however
 * noisy the sensor is.
 */
const MOST_MM_PER_M = 10;

/**
 * The tables for parameters. The tables by depth take over the memory of `before`, since noise may change them for some frames in a row.
 */
export function ruleFor(parameters: TemporalParameters, metresPerUnit: number, before?: Rule): Rule {
  const { leastGain, tauSigmas, sigmaDepthMm, sigmaDepthPerM2Mm } = parameters;
  const { scales, spans } = before ?? { scales: new Float32Array(65536), spans: new Float32Array(65536) };
  for (let depth = 0; depth < 65536; depth++) {
    const metres = depth * metresPerUnit;
    const sigmaMm = Math.min(sigmaDepthMm + sigmaDepthPerM2Mm * metres ** 2, MOST_MM_PER_M * metres);
    scales[depth] = (SIGMA / ONE) * ((metresPerUnit * 1000) / sigmaMm);
    spans[depth] = 1 / (MIXED * scales[depth]);
  }
  const weights = Float32Array.from({ length: (AREA >> PIXELS_BITS) + 1 }, (_, pixels) => {
    return 1 / Math.sqrt(AREA * Math.max(1, pixels) * 2 ** PIXELS_BITS);
  });
  const answers = Float32Array.from({ length: JUMP + 1 }, (_, change) =>
    Math.round(-WHOLE * Math.expm1(-((change / SIGMA / tauSigmas) ** STEEP))),
  );
  const frames = Float32Array.from({ length: 257 }, (_, gain) => Math.min(MOST, Math.round(256 / Math.max(1, gain))));
  const gains = Float32Array.from({ length: MOST + 1 }, (_, count) => 2 * Math.max(1 / (count + 1), leastGain));
  return { scales, weights, answers, frames, gains, spans };
}
