import { frameOf, type PlainFrame } from "../../../core/plainFrame.ts";
import { noiseThrough } from "../../../pipeline/noise.ts";
import type { Noise, SensorNoise } from "../../../stages/core/noise.ts";
import type { ParameterValues } from "../../../stages/core/parameters.ts";
import { stereo } from "../../../stages/stereo/index.ts";

/** The sensor's noise as plain data; `null` if too few pixels are valid to measure it. */
export type MeasuredNoise = (SensorNoise & { readonly text: string }) | null;

/** Without functions, which cannot be posted. */
const plain = ({ a, b, nearM, farM, certain, moving, grain, stepPerM2Mm, text }: Noise) => ({
  a,
  b,
  nearM,
  farM,
  certain,
  moving,
  grain,
  stepPerM2Mm,
  text,
});

/** Frames to be measured, and the parameters of the stage that matches their depth from the pair, if one does. */
export interface NoiseQuestion {
  readonly frames: readonly PlainFrame[];
  readonly matcher: ParameterValues | undefined;
}

self.addEventListener("message", ({ data: { frames, matcher } }: MessageEvent<NoiseQuestion>) => {
  const noise = noiseThrough(frames.map(frameOf), matcher && stereo(matcher));
  const measured: MeasuredNoise = noise ? plain(noise) : null;
  self.postMessage(measured);
  // The worker ends itself: some versions of Chromium crash if the page terminates it at this moment.
  self.close();
});
