/** Parameters of the stage. */
export interface TemporalParameters {
  readonly leastGain: number;
  readonly tauSigmas: number;
  readonly sigmaDepthMm: number;
  readonly sigmaDepthPerM2Mm: number;
}

// What is remembered of a pixel, a word: mean << 7 | count << 1 | up. The mean of depth is in 1/512 of a unit; count is how
// many frames are in it, 0 where there is none; up says that the depth shown was the whole number above the mean, not below.
// And half a word, its trend: what its area has changed by (1/256 of a sigma), added up over frames, of which the older count less.
export const FRACTION_BITS = 9;
export const COUNT_BITS = 6;
export const MOST = 2 ** COUNT_BITS - 1;
export const ONE = 2 ** FRACTION_BITS;
/** How far the depth shown may be from the mean before it moves: half a unit, and a quarter that keeps it from going to and fro. */
export const HELD = 0.75 * ONE;

/** Pixels on each side of one that its change is averaged over. */
export const REACH = 4;
const AREA = (2 * REACH + 1) ** 2;
/** What a sigma is in a mark. */
const SIGMA = 256;
/** A pixel so many sigmas off has moved. */
export const JUMP = 4 * SIGMA;
/** Of a trend a quarter goes with each frame. */
export const FADE_BITS = 2;
/** A mark is change << 7 | 1, so that one sum adds up changes and pixels: there are 81 at most. */
export const MARK_BITS = 7;
/** The largest difference that counts, exact in f32. */
export const FARTHEST = 2 ** 24 - 1;

/**
 * What kernel and twin look up. All that is not whole numbers is here, so that the two agree to the last bit: a product of
 * two f32 is the same everywhere, a quotient or an exponential on a GPU is not.
 */
export interface Rule {
  /** By depth: what makes a difference (1/512 of a unit) into sigmas (1/256). */
  readonly scales: Float32Array<ArrayBuffer>;
  /** By the pixels in an area: what makes the sum of their changes into the area's. Half as many pixels are worth 0.7 of it. */
  readonly weights: Float32Array<ArrayBuffer>;
  /**
   * By the area's change or trend (1/256 of a sigma), two each: twice the gain it asks for, and how many frames that leaves in the
   * mean.
   */
  readonly answers: Float32Array<ArrayBuffer>;
  /** By count: twice the gain with which the next frame enters. */
  readonly gains: Float32Array<ArrayBuffer>;
}

/** The exponent is what makes it a gate: what noise makes of an area is let be; a little more is followed. */
const STEEP = 16;

export function ruleFor(parameters: TemporalParameters, metresPerUnit: number): Rule {
  const { leastGain, tauSigmas, sigmaDepthMm, sigmaDepthPerM2Mm } = parameters;
  const scales = Float32Array.from({ length: 65536 }, (_, depth) => {
    const sigmaMm = sigmaDepthMm + sigmaDepthPerM2Mm * (depth * metresPerUnit) ** 2;
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
