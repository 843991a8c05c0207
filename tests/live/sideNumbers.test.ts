import { afterEach, expect, test, vi } from "vitest";
import { image } from "../../core/frame.ts";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import type { CompareAnswer, CompareRequest } from "../../viewer/live/compare/compareWorker.ts";
import { type MeasuredSides, SideNumbers } from "../../viewer/live/compare/sideNumbers.ts";
import type { Origin } from "../../viewer/live/show/shown.ts";
import { page } from "./page.ts";

// The numbers on raw against filtered depth always belong to the frame and the filters that are shown, however late they come.

afterEach(() => void vi.unstubAllGlobals());

const side = { validShare: 1, noiseMm: 1 };
const answer: CompareAnswer = { raw: side, filtered: side, over: "space", lost: undefined, cut: 0 };

/** SideNumbers whose worker answers when `reply` is called. `seen` lists the raw side's share as it was shown, or `undefined`. */
function numbers() {
  const asked: CompareRequest[] = [];
  const seen: (number | undefined)[] = [];
  let reply = (_validShare: number) => {};
  class Worker {
    onmessage: (event: { readonly data: CompareAnswer }) => void = () => {};
    postMessage(one: CompareRequest): void {
      asked.push(one);
      reply = (validShare) => this.onmessage({ data: { ...answer, raw: { ...side, validShare } } });
    }
  }
  vi.stubGlobal("Worker", Worker);
  const all = page();
  const show = (told: MeasuredSides | undefined) => seen.push(told?.comparison.raw.validShare);
  const made = new SideNumbers(all.shown, () => true, show);
  /** Measures a frame to the end; its depth arrives at once. */
  const measure = async (origin: Origin, validShare: number, nowMs = 0) => {
    const count = asked.length;
    const taken = made.take(processed(origin).frame, origin, nowMs);
    await vi.waitFor(() => expect(asked.length).toBe(count + 1), 20_000);
    reply(validShare);
    await taken;
  };
  return { ...all, made, asked, seen, measure, reply: (validShare: number) => reply(validShare) };
}

/** A frame that has gone through the stages; its depth comes when `read` is called, or at once. */
function processed({ frame: source }: Origin, late = false) {
  let read = () => {};
  const depth = image(new Uint16Array(1), [1, 1]);
  const reading = new Promise<typeof depth>((resolve) => {
    read = () => resolve(depth);
  });
  const { index, timestamp } = source;
  const frame = { index, timestamp, shape: source, source, readDepth: () => (late ? reading : Promise.resolve(depth)) };
  return { frame: frame as unknown as ProcessedFrame, read };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("both sides are compared in the unit of filtered depth, with none of the sensor's digits lost", async () => {
  const { made, open, show, asked } = numbers();
  open("room");
  const origin = show(0);
  const { frame } = processed(origin);
  frame.source.depth.data.fill(1203);
  void made.take({ ...frame, shape: { ...frame.source, metresPerUnit: frame.source.metresPerUnit / 5 } }, origin);
  await vi.waitFor(() => expect(asked).toHaveLength(1), 20_000);
  expect(asked[0]?.mmPerUnit).toBeCloseTo(frame.source.metresPerUnit * 200, 12);
  expect(new Set(asked[0]?.raw.data)).toEqual(new Set([6015]));
});

test("when another recording is opened, a late answer on the old one is not shown, and the new one is measured, though it has one frame", async () => {
  const { made, open, show, late, play, again, reply, seen, asked, measure } = numbers();
  open("room");
  play();
  const old = show(3);
  const taken = made.take(processed(old).frame, old, 0);
  await vi.waitFor(() => expect(asked).toHaveLength(1), 20_000);
  open("azure");
  // A last frame of the room comes late; then comes the new recording's only frame, while the worker is busy.
  expect(late(4)).toBeUndefined();
  const only = show(0);
  await made.take(processed(only).frame, only, 10);
  reply(0.947);
  await taken;
  expect(seen).toEqual([]);
  expect(made.isBehind).toBe(true);
  again();
  await measure(only, 0.765, 20);
  expect(seen).toEqual([0.765]);
  expect(asked.map(({ begins }) => begins)).toEqual([true, true]);
  expect(made.isBehind).toBe(false);
});

test("when a filter is set, the numbers disappear, and the same frame is measured anew from the beginning", async () => {
  const { made, open, show, again, filter, seen, asked, measure } = numbers();
  open("a");
  await measure(show(0), 0.9);
  filter.set({ size: 5 });
  const origin = again();
  expect(seen).toEqual([0.9, undefined]);
  expect(made.isBehind).toBe(true);
  if (origin) await measure(origin, 0.8, 1);
  expect(seen).toEqual([0.9, undefined, 0.8]);
  expect(asked.map(({ begins }) => begins)).toEqual([true, true]);
});

test("while frames play, two consecutive frames are compared once a second, and the answer on a single frame is not shown", async () => {
  const { open, show, play, made, asked, seen, measure } = numbers();
  open("a");
  play();
  await measure(show(0), 0.1, 0);
  await measure(show(1), 0.2, 33);
  const soon = show(2);
  await made.take(processed(soon).frame, soon, 66);
  expect(asked.map(({ follows }) => follows)).toEqual([false, true]);
  await measure(show(31), 0.3, 1034);
  expect(seen).toEqual([0.1, 0.2]);
  await measure(show(32), 0.4, 1067);
  expect(seen).toEqual([0.1, 0.2, 0.4]);
});

test("a paused frame is measured once, however often it is drawn", async () => {
  const { open, show, again, made, asked, measure } = numbers();
  open("a");
  await measure(show(0), 1);
  for (let i = 1; i < 5; i++) {
    const origin = again();
    if (origin) await made.take(processed(origin).frame, origin, i * 5000);
    await turn();
  }
  expect(asked).toHaveLength(1);
});
