import { frameOf, type PlainFrame } from "../../../core/plainFrame.ts";
import { noiseThrough } from "../../../pipeline/noise.ts";
import { areasOf } from "../../../stages/core/areas.ts";
import type { FoundNoise } from "../../../stages/core/noise.ts";
import { noiseToFollow } from "../../../stages/core/noiseFollower.ts";
import type { ParameterValues } from "../../../stages/core/parameters.ts";
import { stereo } from "../../../stages/stereo/index.ts";

/** The sensor's noise; `null` if too few pixels are valid to measure it. */
export type MeasuredNoise = FoundNoise | null;

/** Frames to be measured. */
export interface NoiseQuestion {
  readonly id: number;
  readonly frames: readonly PlainFrame[];
  /** The parameters of the stage that matches their depth from the pair, if one does. */
  readonly matcher?: ParameterValues | undefined;
  /** Given where the noise is followed: see `NoiseFollower.elsewhere`. */
  readonly isKnown?: boolean;
}

export interface NoiseAnswer {
  readonly id: number;
  readonly noise: MeasuredNoise;
}

self.addEventListener("message", ({ data }: MessageEvent<NoiseQuestion>) => {
  const { id, matcher, isKnown } = data;
  const frames = data.frames.map(frameOf);
  const noise =
    isKnown === undefined
      ? noiseThrough(frames, matcher && stereo(matcher))
      : noiseToFollow(frames, isKnown, areasOf(frames));
  self.postMessage({ id, noise: noise ? plain(noise) : null } satisfies NoiseAnswer);
});

/** Without functions, which cannot be posted. */
const plain = (noise: FoundNoise) =>
  Object.fromEntries(Object.entries(noise).filter(([, value]) => typeof value !== "function")) as unknown as FoundNoise;
