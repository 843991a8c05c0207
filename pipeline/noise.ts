import { type DepthFrame, image, shapeOf } from "../core/frame.ts";
import { framesToMeasure, type Readable } from "../core/streams.ts";
import { estimateNoise, type FoundNoise, type Noise, type SensorNoise } from "../stages/core/noise.ts";
import { NoiseFollower } from "../stages/core/noiseFollower.ts";
import type { Stage } from "../stages/core/stage.ts";

export { framesToMeasure, LOOKED_AT } from "../core/streams.ts";

/** Estimates the noise in a recording's first frames. */
export const noiseOf = async (recording: Readable) => estimateNoise(await framesToMeasure(recording));

/** The stage that matches depth from a pair of images, if there is one. */
export const matcherOf = (stages: readonly Stage[]): Stage | undefined => stages.find(({ gives }) => gives === "depth");

/** A recording's first frames as the matcher leaves them: the matcher's own noise is to be estimated, not the camera's. */
export function matchedFrames(matcher: Stage, frames: readonly DepthFrame[]): DepthFrame[] {
  const [first] = frames;
  if (!first) return [];
  const twin = matcher.twin(shapeOf(first));
  try {
    return frames.map((frame, i) => {
      const { depth, pair, index, timestamp } = frame;
      const taken = { depth, pair, color: undefined, points: undefined, picture: undefined };
      twin.run(taken, { index, timestamp, fresh: true, follows: i > 0 });
      // A copy, since the twin writes its next frame to the same memory.
      return { ...frame, depth: image(taken.depth.data.slice(), taken.depth.shape) };
    });
  } finally {
    twin.destroy?.();
  }
}

/**
 * The usual noise of the disparities of rendered pairs (docs/lab/stereo.md), px; neighbours are alike. `stands` has the meaning that it has
 * in `Noise`.
 */
const USUAL = { px: 0.04, grain: 1, stands: 0.25 };

/**
 * The noise of frames that were matched. Noise cannot be measured if the camera moves by more than its depth wavers, and neighbours would
 * show next to no noise, as matched depth is smooth. In that case the noise is the usual one for the camera's lens and baseline.
 */
export function noiseOfMatched(frames: readonly DepthFrame[]): Noise | undefined {
  const noise = estimateNoise(frames);
  const [first] = frames;
  if (!noise || noise.certain || !first?.pair) return noise;
  const b = (1000 * USUAL.px) / (first.intrinsics.fx * first.pair.baselineM);
  const sigmaMm = (atM: number) => b * atM * atM;
  const { grain, stands } = USUAL;
  const text = `noise ${sigmaMm(noise.farM).toFixed(1)} mm at ${noise.farM} m, usual for such a pair, since the camera moves too much to measure it`;
  return { ...noise, a: 0, b, certain: 1, grain, stands, sigmaMm, seenMm: sigmaMm, text };
}

/** The noise of a stream's first frames: of their depth, or of what a `matcher` makes of their pairs. */
export const noiseThrough = (frames: readonly DepthFrame[], matcher: Stage | undefined): Noise | undefined =>
  matcher ? noiseOfMatched(matchedFrames(matcher, frames)) : estimateNoise(frames);

/** Sets the stages' parameters for a sensor's noise, except those that the user has set. Returns the changes in the form of `--set`. */
export function applyNoise(stages: readonly Stage[], noise: SensorNoise | undefined): string[] {
  return stages.flatMap((stage) => {
    const before = { ...stage.parameters };
    stage.applyNoise(noise);
    const changed = Object.entries(stage.parameters).filter(([name, value]) => value !== before[name]);
    return changed.map(([name, value]) => `${stage.name}.${name}=${value}`);
  });
}

/**
 * Sets parameters by the noise of the recording's first frames, whichever frames are played, so that a recording is always filtered alike.
 * Returns a function to be called with each frame before the filters get it, by which the filters follow the noise from there on; it
 * returns the new noise when the filters begin to change to it. The noise of a live source is that of its first frames. `note` gets a line
 * for each change; `elsewhere` as in `NoiseFollower`.
 */
export function followNoise(
  stages: readonly Stage[],
  noise: Noise | undefined,
  note: (line: string) => void = () => {},
  elsewhere?: NoiseFollower["elsewhere"],
) {
  const set = applyNoise(stages, noise);
  if (noise && set.length > 0) note(`${noise.text}: set ${set.join(", ")}`);
  let changed = false;
  const follower = new NoiseFollower(
    (next) => {
      changed ||= applyNoise(stages, next).length > 0;
    },
    noise,
    elsewhere,
  );
  // The filters glide to other noise over some frames, and the first of them may change no parameter yet.
  let toSay: string | undefined;
  return (frame: DepthFrame): FoundNoise | undefined => {
    changed = false;
    const next = follower.see(frame);
    if (next) toSay = `from frame ${frame.index} on ${next.text}: the filters follow`;
    if (toSay && changed) {
      note(toSay);
      toSay = undefined;
    }
    return next;
  };
}
