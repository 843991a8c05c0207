import { frameOf, type PlainFrame } from "../../../core/plainFrame.ts";
import { noiseThrough } from "../../../pipeline/noise.ts";
import type { FoundNoise } from "../../../stages/core/noise.ts";
import type { ParameterValues } from "../../../stages/core/parameters.ts";
import { stereo } from "../../../stages/stereo/index.ts";

/** The sensor's noise; `null` if too few pixels are valid to measure it. */
export type MeasuredNoise = FoundNoise | null;

/** Frames to be measured. */
export interface NoiseQuestion {
  readonly frames: readonly PlainFrame[];
  /** The parameters of the stage that matches their depth from the pair, if one does. */
  readonly matcher?: ParameterValues | undefined;
}

self.onmessage = ({ data: { frames, matcher } }: MessageEvent<NoiseQuestion>) => {
  const noise = noiseThrough(frames.map(frameOf), matcher && stereo(matcher));
  // Functions cannot be posted.
  self.postMessage(noise ? { ...noise, sigmaMm: undefined, seenMm: undefined, stepMm: undefined } : null);
};
