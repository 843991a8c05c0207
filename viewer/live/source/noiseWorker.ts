import { type DepthFrame, image } from "../../../sources/core/frame.ts";
import { estimateNoise, type Noise, type SensorNoise } from "../../../stages/core/noise.ts";

/** A frame whose noise is to be measured. */
export interface NoiseFrame {
  readonly depth: Uint16Array;
  readonly frame: Omit<DepthFrame, "depth" | "color" | "waitUntil">;
}

/** The sensor's noise as plain data; `null` if too few pixels are valid to measure it. */
export type MeasuredNoise = (SensorNoise & { readonly text: string }) | null;

/** Without functions, which cannot be posted. */
const plain = ({ a, b, nearM, farM, certain, grain, stepPerM2Mm, text }: Noise) => ({
  ...{ a, b, nearM, farM, certain, grain, stepPerM2Mm, text },
});

self.addEventListener("message", ({ data }: MessageEvent<readonly NoiseFrame[]>) => {
  const frames = data.map(({ depth, frame }) => {
    const { width, height } = frame.intrinsics;
    return { ...frame, depth: image(depth, [height, width]) };
  });
  const noise = estimateNoise(frames);
  const measured: MeasuredNoise = noise ? plain(noise) : null;
  self.postMessage(measured);
  // The worker ends itself: some versions of Chromium crash if the page terminates it at this moment.
  self.close();
});
