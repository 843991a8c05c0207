import { buffersOf, frameOf, type PlainFrame } from "../../../core/plainFrame.ts";
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
  /** The frames of a question with `isKnown`, whose memory is transferred there and back. */
  readonly frames: readonly PlainFrame[];
}

self.addEventListener("message", ({ data }: MessageEvent<NoiseQuestion>) => {
  const { id, matcher, isKnown } = data;
  const frames = data.frames.map(frameOf);
  const follows = isKnown !== undefined;
  const noise = follows
    ? noiseToFollow(frames, isKnown, areasOf(frames))
    : noiseThrough(frames, matcher && stereo(matcher));
  const back = follows ? data.frames : [];
  const answer: NoiseAnswer = { id, noise: noise ? plain(noise) : null, frames: back };
  self.postMessage(answer, { transfer: back.flatMap(buffersOf) });
});

/** Without functions, which cannot be posted. */
const plain = (noise: FoundNoise) =>
  Object.fromEntries(Object.entries(noise).filter(([, value]) => typeof value !== "function")) as unknown as FoundNoise;
