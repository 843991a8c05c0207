import { type DepthFrame, image } from "../../../sources/core/frame.ts";
import { estimateNoise, type SensorNoise } from "../../../stages/core/noise.ts";

/** A frame's depth, to be measured. */
export interface NoiseFrame {
  readonly depth: Uint16Array;
  readonly frame: Omit<DepthFrame, "depth" | "color" | "waitUntil">;
}

/** What the noise is, as plain data; `null` where too little is valid. */
export type MeasuredNoise = (SensorNoise & { readonly text: string }) | null;

self.addEventListener("message", ({ data }: MessageEvent<readonly NoiseFrame[]>) => {
  const frames = data.map(({ depth, frame }) => {
    const { width, height } = frame.intrinsics;
    return { ...frame, depth: image(depth, [height, width]) };
  });
  const noise = estimateNoise(frames);
  const measured: MeasuredNoise = noise ? { a: noise.a, b: noise.b, farM: noise.farM, text: noise.text } : null;
  self.postMessage(measured);
  // Ended from within: to be terminated just then crashes the page in some versions of Chromium.
  self.close();
});
