import { afterEach, expect, test, vi } from "vitest";
import { createPipeline, DeviceLostError, type Gpu, openGpu, type Pipeline } from "../../pipeline/index.ts";
import { tuneStage } from "../../pipeline/tune/tune.ts";
import { stageNamed } from "../../stages/registry.ts";
import { adder, flatFrame } from "../pipeline/fakes.ts";
import { recordingOf, viewing } from "./viewing.ts";

// Losses of a device while no stream runs on it: during tuning, and while the page is hidden and the browser requests
// no picture.

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function software(): Promise<Gpu> {
  const gpu = await openGpu("software");
  if (!gpu) throw new Error("there is always a software GPU here");
  ends.push(() => gpu.destroy());
  return gpu;
}

test.each(["before it begins", "after the first variant"])(
  "tuneStage ends with one DeviceLostError if the device is lost %s",
  async (when) => {
    const gpu = await software();
    const log: number[] = [];
    const tuning = tuneStage({
      gpu,
      frame: flatFrame(0, 1000, 64, 48),
      make: stageNamed,
      stage: "median",
      budgetMs: 60_000,
      save: false,
      log({ medianUs }) {
        log.push(medianUs);
        gpu.device.destroy();
      },
    });
    if (when === "before it begins") gpu.device.destroy();
    await expect(tuning).rejects.toThrow(DeviceLostError);
    // One more variant may have been in flight, of dozens in all.
    expect(log.length).toBeLessThanOrEqual(when === "before it begins" ? 0 : 2);
  },
);

async function hidden() {
  const pipeline: Pipeline = await createPipeline({
    stages: [adder("one")()],
    backend: "webgpu",
    adapter: "software",
    onDeviceLost: (notice) => it.recovering.lost(notice, pipeline.gpu),
  });
  const it = viewing(pipeline);
  ends.push(async () => {
    it.player.pause();
    it.presenter.stop();
    await pipeline.destroy();
  });
  it.player.open(recordingOf(1000));
  await vi.waitFor(() => expect(it.shown.length).toBeGreaterThan(1), 20_000);
  return { ...it, pipeline };
}
const notice = /^notice: The GPU was lost.*: another has taken its place\.$/;

test("a hidden page that plays opens another device with its next frame", async () => {
  const { shown, said, pipeline } = await hidden();
  pipeline.gpu?.device.destroy();
  const before = shown.length;
  await vi.waitFor(() => expect(shown.length).toBeGreaterThan(before + 2), 20_000);
  expect(said).toEqual([expect.stringMatching(notice)]);
});

test("a paused page that was hidden opens another device and draws its frame when it is shown", async () => {
  const { shown, said, pipeline, player, presenter } = await hidden();
  player.pause();
  // A frame in flight is still shown.
  await vi.waitFor(() => expect(shown.at(-1)).toBe(player.frame?.index), 20_000);
  pipeline.gpu?.device.destroy();
  await pipeline.gpu?.device.lost;
  const before = shown.length;
  expect(said).toEqual([]);
  await vi.waitFor(() => {
    presenter.tick(performance.now());
    expect(shown.length).toBeGreaterThan(before);
  }, 20_000);
  expect(shown.at(-1)).toBe(player.frame?.index);
  expect(said).toEqual([expect.stringMatching(notice)]);
});
