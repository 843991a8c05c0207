/** Figures of a recording's frames; `null` where a figure is unknown. */
export interface Figures {
  readonly format: string;
  readonly width: number | null;
  readonly height: number | null;
  /**
   * The number of readable frames. Together with `unreadable` it is the number of frames that the recording has, or that were asked for.
   */
  readonly frames: number;
  readonly unreadable: number;
  /** How many of `frames` have no valid pixel. */
  readonly empty: number;
  /** The number of missing frames, estimated from the gaps in time. */
  readonly dropped: number;
  /** The number of gaps longer than one and a half periods; the period is the median time between frames. */
  readonly gaps: number;
  readonly longestGapMs: number;
  readonly durationMs: number;
  readonly fps: number;
  /** The share of pixels with a measurement, over all frames. */
  readonly valid: number | null;
  /**
   * The share of pixels with a measurement among the pixels that have one in any frame, so that borders that the sensor never sees do not
   * count.
   */
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
  /** The number of warnings on opening: of what was assumed, left out or read in part. */
  readonly warned: number;
}

/** The distances in metres for which the table has the noise. */
export const NOISE_AT_M = [1, 2, 3, 4] as const;

/** Rounds to four digits: further ones mean nothing. */
export const rounded = (value: number): number => (Number.isFinite(value) ? Number(value.toPrecision(4)) : 0);
