import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { measureNoise } from "../../viewer/live/source/measureNoise.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { recordingOf } from "./recording.ts";

// The noise measured on one source, or a failure to measure it, is not used for the next source.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The result of a measurement whose worker fails to start; `meanwhile` runs just before that. */
async function failed(player: Player, meanwhile: () => void): Promise<unknown> {
  class NoWorker {
    constructor() {
      meanwhile();
      throw new Error("no worker starts here");
    }
  }
  vi.stubGlobal("Worker", NoWorker);
  player.source = recordingOf(3).recording;
  const [result] = await Promise.allSettled([measureNoise(player), vi.advanceTimersByTimeAsync(1000)]);
  return result;
}

test("a noise measurement that fails gives null: the noise is unknown", async () => {
  expect(await failed(new Player(), () => {})).toEqual({ status: "fulfilled", value: { noise: null } });
});

test("a noise measurement that fails after another source was opened gives undefined: no result", async () => {
  const player = new Player();
  const open = () => {
    player.source = recordingOf(1).recording;
  };
  expect(await failed(player, open)).toEqual({ status: "fulfilled", value: undefined });
});
