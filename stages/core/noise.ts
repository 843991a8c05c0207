import { checkArgument } from "../../core/check.ts";
import { framesRule } from "../../core/checkFrame.ts";
import type { DepthFrame } from "../../core/frame.ts";
import { type Areas, areasOf, MOST_NOISE } from "./areas.ts";
import { stepBetween } from "./depthSteps.ts";
import { bandsOf, blobsIn, standingShare } from "./noiseBands.ts";
import { curveThrough, placesOf, type Sample, usualThrough } from "./noiseCurve.ts";

/** A sensor's noise: the standard deviation of depth at distance z is sigma(z) = a + b·z². */
export interface SensorNoise {
  /** Millimetres. */
  readonly a: number;
  /** Millimetres per square metre. */
  readonly b: number;
  /** 10 % of the measured pixels are nearer than this, in metres; `farM` if not given. */
  readonly nearM?: number | undefined;
  /** 90 % of the measured pixels are nearer than this, in metres. */
  readonly farM: number;
  /** 1 if noise was measured from frame to frame, 0 (or absent) if the camera moved too much: motion and texture may then be part of it. */
  readonly certain?: number | undefined;
  /** 1 if the camera moved while noise was measured, 0 (or absent) if it stood. */
  readonly moving?: number | undefined;
  /**
   * The standard deviation of the mean of 9 × 9 pixels over that of one: 1/9 where noise is white, 1 where neighbours are alike. Absent if
   * nothing is known of it.
   */
  readonly grain?: number | undefined;
  /**
   * The part of the noise that stands (bumps that do not change from frame to frame), over the part that a and b tell. 0 (or absent) where
   * noise is fine-grained or nothing is known of it.
   */
  readonly stands?: number | undefined;
  /** The growth of the step between depth values with the square of the distance, in mm per m²; 0 (or absent) where there is none. */
  readonly stepPerM2Mm?: number | undefined;
}

/** A sensor's noise as it was found in frames: plain data, which can be sent between threads. */
export interface FoundNoise extends SensorNoise {
  readonly nearM: number;
  /** For people: "noise 1.2 mm at 1 m, 11 mm at 3 m; depth in steps of 2.9 mm at 1 m"; where noise stands, "… (… of it fixed pattern)". */
  readonly text: string;
}

/** A sensor's noise and the step between the depth values that it can report. */
export interface Noise extends FoundNoise {
  /** The standard deviation of depth at a distance, mm, in the calmest areas: what filters are set by. */
  sigmaMm(atM: number): number;
  /** The standard deviation of depth at a distance, mm, in all areas: what a wall shows, and what people are told. */
  seenMm(atM: number): number;
  /** The distance between two neighbouring depth values that both occur, at a distance. */
  stepMm(atM: number): number;
}

/** The grain of noise that does not depend on neighbouring pixels. */
export const WHITE = 1 / 9;

/** A mean of 9 × 9 pixels leaves less than this share of fine noise. */
export const FINE_GRAIN = 1 / 3;

/** If the far distance is less than this times the near one, the growth of noise with distance cannot be estimated. */
export const NARROW = 1.3;

/**
 * Estimates a sensor's noise from successive frames of one recording. Three frames are compared area by area (areas.ts); if
 * the camera moves too much for that, or there are fewer, single pixels are (noiseBands.ts), for which one frame is enough. Returns
 * `undefined` if too few pixels are valid.
 *
 * @example
 * const noise = estimateNoise(await Promise.all([0, 1, 2].map((index) => recording.read(index))));
 * console.log(noise?.text, noise?.sigmaMm(2));
 */
export function estimateNoise(frames: readonly DepthFrame[]): Noise | undefined {
  checkArgument("estimateNoise", "the frames", framesRule, frames);
  return noiseWithin(frames, areasOf(frames));
}

/** The noise of frames whose `areas` are known. */
export function noiseWithin(frames: readonly DepthFrame[], areas: Areas | undefined): Noise | undefined {
  const [first] = frames;
  if (!first) return undefined;
  const mmPerUnit = first.metresPerUnit * 1000;
  const steps = stepBetween(areas?.still ? [first] : frames, first.metresPerUnit);
  const { stepMm } = steps;
  const isCertain = areas?.grain !== undefined;
  const sigmas = (isCertain ? areas.bands : bandsOf(frames)).map(({ depth, sigma, count }): Sample => {
    const atM = depth * first.metresPerUnit;
    // Rounding to steps has an error of step / √12, even where no change shows.
    const mm = Math.max(sigma * mmPerUnit, stepMm(atM) / Math.sqrt(12));
    return { atM, mm: Math.min(mm, MOST_NOISE * 1000 * atM), count };
  });
  if (sigmas.length === 0) return undefined;
  const [nearM, farM] = placesOf(sigmas);
  const blobs = isCertain ? undefined : blobsIn(first.depth);
  const measuredCurve = () => (farM < NARROW * nearM ? usualThrough(sigmas) : curveThrough(sigmas));
  const [a, b] = blobs ? [0, (blobs.growth * 1000) / first.metresPerUnit] : measuredCurve();
  const sigmaMm = (atM: number) => a + b * atM * atM;
  const seenMm = (atM: number) => sigmaMm(atM) / (areas?.calm ?? 1);
  const [, second = first] = frames;
  const isCoarse = areas?.still === true && (areas.grain ?? WHITE) >= FINE_GRAIN;
  const stands = isCoarse ? standingShare(first.depth, second.depth) : 0;
  const text = textOf([...new Set([nearM, farM])], seenMm, stands, stepMm);
  const moving = areas?.still ? 0 : 1;
  const measured = {
    certain: isCertain ? 1 : 0,
    moving,
    grain: areas?.grain ?? blobs?.grain,
    stands,
    stepPerM2Mm: steps.perM2Mm,
  };
  return { a, b, nearM, farM, ...measured, sigmaMm, seenMm, stepMm, text };
}

function textOf(places: readonly number[], seenMm: Noise["seenMm"], stands: number, stepMm: Noise["stepMm"]): string {
  const inWords = (mm: number) => `${mm < 9.95 ? mm.toFixed(1) : Math.round(mm)} mm`;
  const standing = (mm: number) => (stands > 0 ? ` (${inWords(stands * mm)} of it fixed pattern)` : "");
  const noiseAt = (mm: number) => `${inWords(Math.hypot(1, stands) * mm)}`;
  const noise = places.map((atM) => `${noiseAt(seenMm(atM))} at ${atM} m${standing(seenMm(atM))}`).join(", ");
  return `noise ${noise}; depth in steps of ${inWords(stepMm(places[0] ?? 1))} at ${places[0]} m`;
}
