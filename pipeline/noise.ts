import type { DepthFrame } from "../core/frame.ts";
import { framesToMeasure, type Readable } from "../core/streams.ts";
import { estimateNoise, type FoundNoise, type Noise, type SensorNoise } from "../stages/core/noise.ts";
import { NoiseFollower } from "../stages/core/noiseFollower.ts";
import type { Stage } from "../stages/core/stage.ts";
import { type Amiss, amissIn, matchedFrames } from "./pair.ts";

export { framesToMeasure, LOOKED_AT } from "../core/streams.ts";

/** Estimates the noise in a recording's first frames. */
export const noiseOf = async (recording: Readable) => estimateNoise(await framesToMeasure(recording));

/**
 * The usual noise of the disparities of rendered pairs (docs/lab/stereo.md), px; neighbours are alike. `stands` has the meaning that it has
 * in `Noise`.
 */
const USUAL = { px: 0.04, grain: 1, stands: 0.25 };

/**
 * The noise of frames that were matched. Noise cannot be measured if the camera moves by more than its depth wavers, and neighbours would
 * show next to no noise, as matched depth is smooth. In that case the noise is the usual one for the camera's lens and baseline.
 */
function noiseOfMatched(frames: readonly DepthFrame[]): Noise | undefined {
  const noise = estimateNoise(frames);
  const [first] = frames;
  if (!noise || noise.certain || !first?.pair) return noise;
  const b = (1000 * USUAL.px) / (first.intrinsics.fx * first.pair.baselineM);
  const sigmaMm = (atM: number) => b * atM * atM;
  const { grain, stands } = USUAL;
  const text = `noise ${sigmaMm(noise.farM).toFixed(1)} mm at ${noise.farM} m, usual for such a pair, since the camera moves too much to measure it`;
  return { ...noise, a: 0, b, certain: 1, grain, stands, sigmaMm, seenMm: sigmaMm, text };
}

/** The noise of first frames: of their depth, or of what a `matcher` makes of their pairs; and what is amiss with these pairs. */
export function noiseThrough(
  frames: readonly DepthFrame[],
  matcher: Stage | undefined,
): { readonly noise: Noise | undefined; readonly amiss?: Amiss | undefined } {
  if (!matcher) return { noise: estimateNoise(frames) };
  const matched = matchedFrames(matcher, frames);
  return { noise: noiseOfMatched(matched), amiss: amissIn(matcher, frames, matched) };
}

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
