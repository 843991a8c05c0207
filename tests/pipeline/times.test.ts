import { expect, onTestFinished, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { compact, dofSplat, median } from "../../stages/index.ts";
import { useGpu } from "../gpu.ts";
import { flatFrame } from "./fakes.ts";

// Which frames the statistics' times belong to, after stages were set.

/** A pipeline whose statistics have the times of two frames. */
async function timed() {
  const picture = dofSplat({ width: 32, height: 24 });
  const pipeline = await createPipeline({ stages: [median(), compact(), picture], backend: "cpu", timeEvery: 1 });
  onTestFinished(() => pipeline.destroy());
  for (const index of [0, 1]) await pipeline.run(flatFrame(index));
  const samples = () => pipeline.statistics.snapshot().frame.samples;
  await expect.poll(samples).toBe(2);
  return { pipeline, picture, samples };
}

test("a redraw in another size leaves the times to be read, and the next frame begins anew", async () => {
  const { pipeline, picture, samples } = await timed();
  picture.set({ width: 16, height: 12 });
  await pipeline.redraw();
  expect(samples()).toBe(2);
  await pipeline.run(flatFrame(2));
  await expect.poll(samples).toBe(1);
  await pipeline.run(flatFrame(3));
  await expect.poll(samples).toBe(2);
});

const gpu = useGpu();

test("where the GPU has no timestamps, no time includes the wait for what a new stage's first frame may refuse", async () => {
  const size = median();
  const untimed = { ...gpu.gpu, timestamps: false };
  await using pipeline = await createPipeline({ stages: [size, compact()], gpu: untimed, timeEvery: 1 });
  const clockOf = async (index: number) => (await (await pipeline.run(flatFrame(index))).timing)?.clock;
  expect([await clockOf(0), await clockOf(1)]).toEqual([undefined, "wall"]);
  size.set({ size: 5 });
  expect([await clockOf(2), await clockOf(3)]).toEqual([undefined, "wall"]);
});
