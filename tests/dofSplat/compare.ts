import { expect } from "vitest";
import { pictureDifference } from "../../pipeline/tune/twinCheck.ts";
import type { CpuPicture, Stage } from "../../stages/core/stage.ts";
import { toLinear } from "../../stages/dofSplat/light.ts";
import { drawOnCpu, drawOnGpu, type Scene } from "./draw.ts";

/** Whether the kernels' picture is the twin's, as nearly as can be asked. */
export function expectSame(gpu: CpuPicture, cpu: CpuPicture): void {
  expect(pictureDifference(cpu, gpu)).toBeUndefined();
}

/** Draws on the GPU and the CPU, checks that the pictures agree, and returns the GPU's. */
export async function drawAlike(device: GPUDevice, stage: Stage, scene: Scene) {
  const picture = await drawOnGpu(device, stage, scene);
  expectSame(picture, drawOnCpu(stage, scene));
  return picture;
}

/** Red, green and blue of a pixel. */
export const pixel = ({ rgba, width }: CpuPicture, u: number, v: number): number[] => [
  ...rgba.subarray(4 * (v * width + u), 4 * (v * width + u) + 3),
];

/** The light of the whole picture in one channel, in white pixels. */
export function light({ rgba }: CpuPicture, channel: number): number {
  let sum = 0;
  for (let p = channel; p < rgba.length; p += 4) sum += toLinear(rgba[p] / 255);
  return sum;
}
