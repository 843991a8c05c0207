import { expect, test, vi } from "vitest";
import { EveryFrame } from "../../viewer/live/out/everyFrame.ts";

test("a walk through a recording that was stopped before it began does not begin", async () => {
  const walk = vi.fn(async () => {});
  const player = { part: [0, 19] as const, walk, pause: vi.fn() };
  await new EveryFrame(player, async () => {}).run();
  expect(walk).toHaveBeenCalledTimes(1);
  const stopped = new EveryFrame(player, async () => {});
  stopped.stop();
  await stopped.run();
  expect(walk).toHaveBeenCalledTimes(1);
});
