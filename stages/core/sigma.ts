import { NARROW, type SensorNoise } from "./noise.ts";

// How filters derive their sigma from a sensor's noise.

/**
 * No stereo camera's noise grows by more than this, in mm per m². Larger estimates that are uncertain are cut off: thickets look like
 * noise.
 */
const MOST_GROWTH = 5;

/** Sigma is at most this many times a noise above `MOST_GROWTH`. */
const MUCH = 1.2;

/**
 * The step between depth values grows by at most this, in mm per m² (a Kinect v1: 2.9). A larger estimate means that too few pixels were
 * valid for every value to occur.
 */
const MOST_STEP = 3;

/**
 * Uncertain noise is measured over a few pixels of single frames (noiseBands.ts), which do not show how whole patches of a surface waver
 * from frame to frame. A Kinect v1's patches make its noise this many times as large.
 */
const PATCHES = 1.5;

/** The parameters of a filter's sigma: sigma(z) = `atHandMm` + `perM2Mm` · z². */
export interface Sigma {
  readonly atHandMm: number;
  readonly perM2Mm: number;
}

/** Bounds on a filter's sigma, as multiples of the sensor's measured noise and steps. */
interface Bounds {
  /** Sigma is at least this many times the noise. */
  readonly least: number;
  /** Sigma is at most this many times the noise. */
  readonly most: number;
  /** Sigma is at least this many steps between depth values, so that neighbouring terraces count as one surface. */
  readonly steps: number;
}

/**
 * A filter's sigma for a sensor. Noise that is certain bounds `usual` from both sides: sigma is at least `least` times the
 * noise, and at most `most` times the noise or the part of `usual` that grows with distance, whichever is larger (a smaller growth loses
 * more smoothness than it keeps relief). Uncertain noise only raises `usual`; so do the steps of any sensor.
 */
export function sigmaFor(noise: SensorNoise | undefined, { least, most, steps }: Bounds, usual: Sigma): Sigma {
  if (!noise) return usual;
  const { a, b, nearM = noise.farM, farM, certain = 0, stepPerM2Mm = 0 } = noise;
  const coarse = steps * Math.min(stepPerM2Mm, MOST_STEP);
  const growing = Math.max(usual.perM2Mm, rounded(coarse - usual.atHandMm / farM ** 2));
  const raised = growthFor(noise, least, usual.atHandMm, growing);
  const at = (metres: number) => {
    const [growth, mm] = [usual.perM2Mm * metres ** 2, a + b * metres ** 2];
    const own = usual.atHandMm + growth;
    // With this much noise, wide sigmas cost edges more than they calm surfaces.
    const enough = Math.max(
      least * Math.min(mm, MOST_GROWTH * metres ** 2),
      Math.min(least, MUCH) * mm,
      coarse * metres ** 2,
    );
    return { own, wanted: Math.max(enough, Math.min(Math.max(most * mm, growth), own)) };
  };
  const [near, far] = [at(nearM), at(farM)];
  // The curve goes through both distances if they are apart; else it is `usual`, scaled to what is wanted at the far distance.
  const scale = far.wanted / far.own;
  const growth = (far.wanted - near.wanted) / (farM ** 2 - nearM ** 2);
  const perM2Mm = farM < NARROW * nearM ? scale * usual.perM2Mm : Math.max(0, growth);
  const atHandMm = Math.max(0, far.wanted - perM2Mm * farM ** 2);
  const mixed = (one: number, other: number) => rounded(one + certain * (other - one));
  return { atHandMm: mixed(usual.atHandMm, atHandMm), perM2Mm: mixed(raised, perM2Mm) };
}

/**
 * The growth of a filter's sigma with the square of the distance, in mm per m². With it sigma is `atHandMm` near the sensor and `times` the
 * noise at `noise.farM`, times `PATCHES` where that is uncertain. Returns `least` if that is more, or if there is no measured noise.
 */
export function growthFor(noise: SensorNoise | undefined, times: number, atHandMm: number, least: number): number {
  if (!noise) return least;
  const { a, b, farM, certain = 0 } = noise;
  const square = farM * farM;
  const whole = (PATCHES + certain * (1 - PATCHES)) * (a + b * square);
  const mm = times * Math.min(whole, MOST_GROWTH * square);
  return Math.max(least, rounded((mm - atHandMm) / square));
}

/** Two decimals, for parameters that people read. */
export const rounded = (value: number) => Number(value.toFixed(2));
