import { afterEach, expect, test, vi } from "vitest";
import { createPipeline, GpuError, type Pipeline } from "../../pipeline/index.ts";
import { defineStage } from "../../stages/core/define.ts";
import { number } from "../../stages/core/parameters.ts";
import { adder, flatFrame } from "../pipeline/fakes.ts";
import { recordingOf, viewing } from "./viewing.ts";

// A GPU whose memory is used up: the pipeline says so, keeps nothing of the failed allocation, and can then allocate less.
// The viewer halves its picture's size by itself, then quarters it, before it gives up.

/** Allocates a picture of `side` × `side` pixels. */
const picture = defineStage({
  name: "picture",
  summary: "allocates",
  schema: { side: number(4096, { min: 1, max: 4096, step: 1 }, "pixels in a row") },
  async build({ parameters: { side }, pool }) {
    pool.buffer("pixels", side * side * 4, GPUBufferUsage.STORAGE);
    return { output: {}, encode() {} };
  },
  twin: () => ({ run() {} }),
});

/** Makes the device refuse buffers of more bytes than `most`. Returns the sizes that are requested from then on. */
function bound(device: GPUDevice, most: number): number[] {
  const asked: number[] = [];
  const scopes: { filter: GPUErrorFilter; full: boolean }[] = [];
  const { createBuffer, pushErrorScope, popErrorScope } = device;
  device.pushErrorScope = (filter) => {
    scopes.push({ filter, full: false });
    return pushErrorScope.call(device, filter);
  };
  device.createBuffer = (descriptor) => {
    asked.push(descriptor.size);
    const scope = scopes.findLast(({ filter }) => filter === "out-of-memory");
    if (scope && descriptor.size > most) scope.full = true;
    return createBuffer.call(device, { ...descriptor, size: Math.min(descriptor.size, most) });
  };
  device.popErrorScope = async () => {
    const scope = scopes.pop();
    const error = await popErrorScope.call(device);
    return scope?.full ? new GPUOutOfMemoryError("there is no more") : error;
  };
  return asked;
}

let pipeline: Pipeline;
afterEach(() => pipeline.destroy());
async function open(most: number): Promise<number[]> {
  pipeline = await createPipeline({ stages: [adder("one")(), picture()], backend: "webgpu", adapter: "software" });
  const { gpu } = pipeline;
  if (!gpu) throw new Error("there is always a software GPU here");
  return bound(gpu.device, most);
}

test("run() fails with a GpuError when the GPU's memory is used up, and succeeds with a smaller picture", async () => {
  await open(2 ** 20);
  const refused = await pipeline.run(flatFrame(0)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(GpuError);
  expect(refused).toMatchObject({
    tooLarge: true,
    message: "picture pixels: the GPU's memory is used up: take a smaller frame or picture",
  });
  pipeline.stages[1]?.set({ side: 512 });
  expect((await (await pipeline.run(flatFrame(1))).readDepth()).get(2, 4)).toBe(1002);
});

test.each([
  [
    "half",
    2048,
    [4096, 2048],
    ["notice: The GPU has no room for a picture of this size: it is drawn at half of the window’s."],
  ],
  ["a quarter of", 1024, [4096, 2048, 1024], [expect.stringMatching("at half"), expect.stringMatching("at a quarter")]],
])(
  "the viewer plays on with %s the picture's size when the GPU's memory is used up, and says so",
  async (_, side, sides, lines) => {
    const asked = await open(side * side * 4);
    const { player, presenter, said, shown, settings } = viewing(pipeline, (detail) =>
      pipeline.stages[1]?.set({ side: 4096 * detail }),
    );
    player.open(recordingOf(1000));
    const tick = setInterval(() => presenter.tick(performance.now()), 5);
    await vi.waitFor(() => expect(shown.length).toBeGreaterThan(3), 20_000);
    clearInterval(tick);
    expect(player.playing).toBe(true);
    expect([settings.now.detail, said]).toEqual([side / 4096, lines]);
    expect(asked.filter((size) => size >= 1024 * 1024 * 4)).toEqual(sides.map((one) => one * one * 4));
    player.pause();
    presenter.stop();
  },
);
