import { expect } from "vitest";
import { toLinear } from "../../stages/dofSplat/camera.ts";
import type { CpuPicture } from "../../stages/stage.ts";

/**
 * How far the twin and the kernels may be apart. Both follow the same steps in the same order, but a GPU may fuse
 * multiply and add, its division is good to 2.5 ulp and its pow to some 16, so that a splat's place differs by 1e-5 px
 * and two distances a rounding apart may swap. That moves colours by a step or two of 255, by more only where a splat
 * more or less fills a pixel, and moves the distance of a pixel that is covered by 0.49 almost exactly.
 */
export const TOLERANCE = { step: 2, sharePast: 0.001, shareOfDepths: 0.001 };

export function expectSame(gpu: CpuPicture, cpu: CpuPicture): void {
  expect([gpu.width, gpu.height]).toEqual([cpu.width, cpu.height]);
  let [past, depths, drawn] = [0, 0, 0];
  for (let p = 0; p < cpu.depth.length; p++) {
    const off = [0, 1, 2, 3].map((c) => Math.abs((cpu.rgba[4 * p + c] ?? 0) - (gpu.rgba[4 * p + c] ?? 0)));
    if (Math.max(...off) > TOLERANCE.step) past++;
    const [a, b] = [cpu.depth[p] ?? 0, gpu.depth[p] ?? 0];
    if (Math.abs(a - b) > 1e-5 * a) depths++;
    if (a > 0 !== b > 0) drawn++;
  }
  const pixels = cpu.depth.length;
  expect(past, "pixels whose colour is apart").toBeLessThanOrEqual(pixels * TOLERANCE.sharePast);
  expect(depths, "pixels whose distance is apart").toBeLessThanOrEqual(pixels * TOLERANCE.shareOfDepths);
  expect(drawn, "pixels drawn by only one").toBeLessThanOrEqual(pixels * TOLERANCE.shareOfDepths);
}

/** Red, green and blue of a pixel. */
export const pixel = ({ rgba, width }: CpuPicture, u: number, v: number): number[] => [
  ...rgba.subarray(4 * (v * width + u), 4 * (v * width + u) + 3),
];

/** The light of the whole picture in one channel, in white pixels. */
export function light({ rgba }: CpuPicture, channel: number): number {
  let sum = 0;
  for (let p = channel; p < rgba.length; p += 4) sum += toLinear((rgba[p] ?? 0) / 255);
  return sum;
}

/** Numbers from 0 to 1, the same each time. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
