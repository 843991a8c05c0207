import { frameOf, type PlainFrame } from "../../../core/plainFrame.ts";
import { noiseThrough } from "../../../pipeline/noise.ts";
import type { Amiss } from "../../../pipeline/pair.ts";
import type { FoundNoise } from "../../../stages/core/noise.ts";
import type { ParameterValues } from "../../../stages/core/parameters.ts";
import { stereo } from "../../../stages/stereo/index.ts";

/** The sensor's noise; `null` if too few pixels are valid to measure it. */
export type MeasuredNoise = FoundNoise | null;

/** The noise, and what is amiss with the frames' pairs. */
export interface NoiseAnswer {
  readonly noise: MeasuredNoise;
  readonly amiss?: Amiss | undefined;
}

/** Frames to be measured. */
export interface NoiseQuestion {
  readonly frames: readonly PlainFrame[];
  /** The parameters of the stage that matches their depth from the pair, if one does. */
  readonly matcher?: ParameterValues | undefined;
}

self.onmessage = ({ data: { frames, matcher } }: MessageEvent<NoiseQuestion>) => {
  const { noise, amiss } = noiseThrough(frames.map(frameOf), matcher && stereo(matcher));
  // Functions cannot be posted.
  const plain = noise ? { ...noise, sigmaMm: undefined, seenMm: undefined, stepMm: undefined } : null;
  self.postMessage({ noise: plain, amiss } satisfies NoiseAnswer);
};
