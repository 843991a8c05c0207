import { frameOf, type PlainFrame } from "../../../core/plainFrame.ts";
import { estimateNoise, type Noise, type SensorNoise } from "../../../stages/core/noise.ts";

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

self.addEventListener("message", ({ data }: MessageEvent<readonly PlainFrame[]>) => {
  const noise = estimateNoise(data.map(frameOf));
  const measured: MeasuredNoise = noise ? plain(noise) : null;
  self.postMessage(measured);
  // The worker ends itself: some versions of Chromium crash if the page terminates it at this moment.
  self.close();
});
