import { buffersOf, frameOf, type PlainFrame } from "../core/plainFrame.ts";
import { areasOf } from "../stages/core/areas.ts";
import type { FoundNoise } from "../stages/core/noise.ts";
import { noiseToFollow } from "../stages/core/noiseFollower.ts";

/** Frames to be measured; `isKnown` as in `NoiseFollower.elsewhere`. */
export interface NoiseQuestion {
  readonly frames: readonly PlainFrame[];
  readonly isKnown: boolean;
}

/** The noise of the frames, and the frames' memory, which is transferred there and back. */
export interface NoiseAnswer {
  readonly frames: readonly PlainFrame[];
  readonly noise: FoundNoise | undefined;
}

/** The page's worker that measures the noise which filters follow; the frames' memory comes and goes with each question. */
self.onmessage = ({ data: { frames, isKnown } }: MessageEvent<NoiseQuestion>) => {
  const seen = frames.map(frameOf);
  const found = noiseToFollow(seen, isKnown, areasOf(seen));
  // The functions of a `Noise` cannot be posted, and filters need only its numbers.
  const noise = found && { ...found, sigmaMm: undefined, seenMm: undefined, stepMm: undefined };
  self.postMessage({ frames, noise } satisfies NoiseAnswer, { transfer: frames.flatMap(buffersOf) });
};
