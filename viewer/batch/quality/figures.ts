/** What is known of a recording's frames. A figure that cannot be told is `null`. */
export interface Figures {
  readonly format: string;
  readonly width: number | null;
  readonly height: number | null;
  /** How many frames could be read. With `unreadable` they are all that the recording has, or all that were asked for. */
  readonly frames: number;
  readonly unreadable: number;
  /** How many of `frames` have no valid pixel. */
  readonly empty: number;
  /** How many frames are missing by the times of those that are there. */
  readonly dropped: number;
  /** How many times the next frame came later than after one and a half periods; the period is the median time between frames. */
  readonly gaps: number;
  readonly longestGapMs: number;
  readonly durationMs: number;
  readonly fps: number;
  /** The share of pixels with a measurement, over all frames. */
  readonly valid: number | null;
  /** The same, of those pixels that had a measurement in any frame: borders that the sensor never sees do not count. */
  readonly fill: number | null;
  /** The share of valid pixels that the stage despeckle takes: flying pixels and islands of a few; over up to 16 frames. */
  readonly flying: number | null;
  /** The standard deviation of depth in mm at 1, 2, 3 and 4 m; `null` where the first frames measure nothing near that distance. */
  readonly noise1m: number | null;
  readonly noise2m: number | null;
  readonly noise3m: number | null;
  readonly noise4m: number | null;
  /** The share of frames that come with colour. */
  readonly colour: number;
  /** The share of frames with colour whose picture is that of the frame before, byte for byte; `null` without colour. */
  readonly colourRepeats: number | null;
}

/** The distances in metres at which noise is told. */
export const NOISE_AT_M = [1, 2, 3, 4] as const;

/** Rounds to four digits: further ones mean nothing. */
export const rounded = (value: number): number => (Number.isFinite(value) ? Number(value.toPrecision(4)) : 0);
