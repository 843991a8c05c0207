import { NARROW, type SensorNoise } from "./noise.ts";

// What filters make of a sensor's noise.

/**
 * More noise than this, in mm per m², is more than that of any stereo camera. It is not believed where the camera moved: thickets look like
 * noise too.
 */
const MOST_GROWTH = 5;

/** Of more noise than that sigmas are this many times, if not less. */
const MUCH = 1.2;

/** No camera's steps grow more than so many mm per m², those of a Kinect v1 by 2.9; in too few pixels some depths do not occur. */
const MOST_STEP = 3;

/** The parameters of a filter's sigma: sigma(z) = `atHandMm` + `perM2Mm` · z². */
export interface Sigma {
  readonly atHandMm: number;
  readonly perM2Mm: number;
}

/** How a filter's sigma follows what a sensor shows. */
interface Bounds {
  /** At least so many times the noise. */
  readonly least: number;
  /** At most so many times the noise. */
  readonly most: number;
  /** At least so many steps between depth values: neighbouring terraces are one surface, and small relief is not. */
  readonly steps: number;
}

/**
 * A filter's sigma for a sensor. If its noise was measured while the camera stood: `usual`, but at least `least` times the noise, and at
 * most `most` times it or what grows with distance in `usual`, whichever is more: less growth costs more calm than it keeps relief. Noise
 * that a moving camera showed may be too large, but not too small: it only raises `usual`. So do the steps of any sensor.
 */
export function sigmaFor(noise: SensorNoise | undefined, { least, most, steps }: Bounds, usual: Sigma): Sigma {
  if (!noise) return usual;
  const { a, b, nearM = noise.farM, farM, still = 0, stepPerM2Mm = 0 } = noise;
  const coarse = steps * Math.min(stepPerM2Mm, MOST_STEP);
  const growing = Math.max(usual.perM2Mm, rounded(coarse - usual.atHandMm / farM ** 2));
  const raised = growthFor(noise, least, usual.atHandMm, growing);
  const at = (metres: number) => {
    const [growth, mm] = [usual.perM2Mm * metres ** 2, a + b * metres ** 2];
    const own = usual.atHandMm + growth;
    // Where there is so much noise, wide sigmas cost edges more than they calm surfaces.
    const enough = Math.max(
      least * Math.min(mm, MOST_GROWTH * metres ** 2),
      Math.min(least, MUCH) * mm,
      coarse * metres ** 2,
    );
    return { own, wanted: Math.max(enough, Math.min(Math.max(most * mm, growth), own)) };
  };
  const [near, far] = [at(nearM), at(farM)];
  // Through both, where they are apart, else as much more or less than usual as is wanted far away.
  const scale = far.wanted / far.own;
  const growth = (far.wanted - near.wanted) / (farM ** 2 - nearM ** 2);
  const perM2Mm = farM < NARROW * nearM ? scale * usual.perM2Mm : Math.max(0, growth);
  const atHandMm = Math.max(0, far.wanted - perM2Mm * farM ** 2);
  const mixed = (one: number, other: number) => rounded(one + still * (other - one));
  return { atHandMm: mixed(usual.atHandMm, atHandMm), perM2Mm: mixed(raised, perM2Mm) };
}

/**
 * The growth of a filter's sigma with the square of the distance, in mm per m². With it sigma is `atHandMm` near the sensor and `times` the
 * noise at `noise.farM`. Returns `least` if that is more, or if there is no measured noise.
 */
export function growthFor(noise: SensorNoise | undefined, times: number, atHandMm: number, least: number): number {
  if (!noise) return least;
  const { a, b, farM } = noise;
  const square = farM * farM;
  const mm = times * Math.min(a + b * square, MOST_GROWTH * square);
  return Math.max(least, rounded((mm - atHandMm) / square));
}

/** For parameters that people read. */
export const rounded = (value: number) => Number(value.toFixed(2));
