import { afterEach, expect, test, vi } from "vitest";
import { createPipeline, type Pipeline } from "../../pipeline/index.ts";
import { adder } from "../pipeline/fakes.ts";
import { recordingOf, viewing } from "./viewing.ts";

// Losses of a device while no stream runs on it: the page is hidden, and the browser requests no picture.

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

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
