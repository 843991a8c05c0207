import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { areasOf } from "../../stages/core/areas.ts";
import { noiseToFollow } from "../../stages/core/noiseFollower.ts";
import { measureNoise, noiseElsewhere } from "../../viewer/live/source/measureNoise.ts";
import type { NoiseAnswer, NoiseQuestion } from "../../viewer/live/source/noiseWorker.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { framesOf, still } from "../noiseWorld.ts";
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
  expect(await failed(new Player(), () => {})).toEqual({ status: "fulfilled", value: null });
});

test("a noise measurement that fails after another source was opened gives undefined: no result", async () => {
  const player = new Player();
  const open = () => {
    player.source = recordingOf(1).recording;
  };
  expect(await failed(player, open)).toEqual({ status: "fulfilled", value: undefined });
});

test("frames go to the worker and come back without a copy, with the noise that this thread would find", async () => {
  vi.useRealTimers();
  let ask = (_: MessageEvent<NoiseQuestion>) => {};
  let answer = (_: MessageEvent<NoiseAnswer>) => {};
  const sent = <T>(message: T, transfer: ArrayBuffer[]) =>
    ({ data: structuredClone(message, { transfer }) }) as MessageEvent<T>;
  vi.stubGlobal("self", {
    addEventListener: (_: string, listen: typeof ask) => (ask = listen),
    postMessage: (message: NoiseAnswer, { transfer }: { transfer: ArrayBuffer[] }) => answer(sent(message, transfer)),
  });
  class FakeWorker {
    addEventListener(kind: string, listen: typeof answer) {
      if (kind === "message") answer = listen;
    }
    postMessage(message: NoiseQuestion, transfer: ArrayBuffer[]) {
      const event = sent(message, transfer);
      setTimeout(() => ask(event));
    }
  }
  vi.stubGlobal("Worker", FakeWorker);
  await import("../../viewer/live/source/noiseWorker.ts");
  const frames = framesOf({ ...still, frames: 3 });
  const before = frames.map(({ depth }) => depth.data.slice());
  const here = noiseToFollow(frames, true, areasOf(frames));
  const asked = noiseElsewhere(frames, true);
  await new Promise<void>((resolve) => queueMicrotask(resolve));
  expect(frames.map(({ depth }) => depth.data.length)).toEqual([0, 0, 0]);
  const found = await asked;
  expect(found?.text).toMatch(/^noise [\d.]+ mm/);
  expect(here).toMatchObject({ ...found });
  expect(frames.map(({ depth }) => depth.data)).toEqual(before);
});
