import { afterEach, expect, test, vi } from "vitest";
import { noiseAside } from "../pipeline/noiseAside.ts";
import type { NoiseAnswer, NoiseQuestion } from "../pipeline/noiseWorker.ts";
import { areasOf } from "../stages/core/areas.ts";
import { noiseToFollow } from "../stages/core/noiseFollower.ts";
import { framesOf, still } from "./noiseWorld.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

test("frames go to the worker and come back without a copy, with the noise that this thread would find", async () => {
  vi.stubEnv("SSR", false);
  const sent = <T>(message: T, transfer: ArrayBuffer[]) =>
    ({ data: structuredClone(message, { transfer }) }) as MessageEvent<T>;
  class FakeWorker {
    onmessage = (_: MessageEvent<NoiseAnswer>) => {};
    static inside = {
      onmessage: (_: MessageEvent<NoiseQuestion>) => {},
      postMessage: (_: NoiseAnswer, __: { transfer: ArrayBuffer[] }) => {},
    };
    postMessage(message: NoiseQuestion, transfer: ArrayBuffer[]) {
      const event = sent(message, transfer);
      FakeWorker.inside.postMessage = (answer, given) => this.onmessage(sent(answer, given.transfer));
      setTimeout(() => FakeWorker.inside.onmessage(event));
    }
    terminate() {}
  }
  vi.stubGlobal("Worker", FakeWorker);
  vi.stubGlobal("self", FakeWorker.inside);
  await import("../pipeline/noiseWorker.ts");
  const frames = framesOf({ ...still, frames: 3 });
  const before = frames.map(({ depth }) => depth.data.slice());
  const here = noiseToFollow(frames, true, areasOf(frames));
  const asked = noiseAside()?.measure(frames, true);
  await new Promise<void>((resolve) => queueMicrotask(resolve));
  expect(frames.map(({ depth }) => depth.data.length)).toEqual([0, 0, 0]);
  const found = await asked;
  expect(found?.text).toMatch(/^noise [\d.]+ mm/);
  expect(found).toEqual({ ...here, sigmaMm: undefined, seenMm: undefined, stepMm: undefined });
  expect(frames.map(({ depth }) => depth.data)).toEqual(before);
});

test("frames that were lent to a worker that fails come back blank, and a question that is ended is answered", async () => {
  vi.stubEnv("SSR", false);
  let fail = () => {};
  class FakeWorker {
    onerror = () => {};
    postMessage(message: NoiseQuestion, transfer: ArrayBuffer[]) {
      structuredClone(message, { transfer });
      fail = () => this.onerror();
    }
    terminate() {}
  }
  vi.stubGlobal("Worker", FakeWorker);
  for (const ends of [false, true]) {
    const frames = framesOf({ ...still, frames: 3 });
    const sizes = frames.map(({ depth }) => depth.data.length);
    const aside = noiseAside();
    const asked = aside?.measure(frames, true);
    if (ends) aside?.end();
    else fail();
    expect(await asked).toBeUndefined();
    expect(frames.map(({ depth }) => depth.data.length)).toEqual(sizes);
  }
});
