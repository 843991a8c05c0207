import { describe, expect, test } from "vitest";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import { type DepthFrame, image } from "../../sources/index.ts";
import { FrameTap, type Need } from "../../viewer/live/panes/frameTap.ts";

// How the panes come by their frames: without reading what nobody needs, and without holding the stream up.

const INTRINSICS = { fx: 4, fy: 4, cx: 1.5, cy: 1, width: 4, height: 3 };

const frameOf = (index: number): DepthFrame => ({
  depth: image(new Uint16Array(12).fill(1000 + index), [3, 4]),
  metresPerUnit: 0.001,
  intrinsics: INTRINSICS,
  timestamp: index * 33,
  index,
});

describe("frames for the panes", () => {
  /** A frame whose depth comes when it is told to. */
  function processedOf(index: number) {
    const source = frameOf(index);
    let give = () => {};
    let asked = 0;
    const readDepth = () => {
      asked++;
      return new Promise<DepthFrame["depth"]>((resolve) => {
        give = () => resolve(source.depth);
      });
    };
    const frame = { index, source, shape: source, readDepth } as unknown as ProcessedFrame;
    return { frame, give: () => give(), asked: () => asked };
  }
  const turn = () => new Promise((resolve) => setTimeout(resolve));

  function tapOf(need: { now: Need }) {
    const seen: number[] = [];
    let ms = 0;
    const tap = new FrameTap(
      () => need.now,
      ({ frame }) => seen.push(frame.index),
      () => ms,
    );
    return { tap, seen, wait: (forMs: number) => (ms += forMs) };
  }

  test("nothing is read while nothing is open", () => {
    const { tap, seen } = tapOf({ now: "nothing" });
    const one = processedOf(0);
    tap.take(one.frame);
    expect([one.asked(), seen, tap.isBehind]).toEqual([0, [], false]);
  });

  test("one copy is on its way at a time, what comes meanwhile is left out, and the last of it can be asked for", async () => {
    const need = { now: "depth" as Need };
    const { tap, seen, wait } = tapOf(need);
    const [one, two, three] = [processedOf(0), processedOf(1), processedOf(2)];
    tap.take(one.frame);
    tap.take(two.frame);
    tap.take(three.frame);
    expect([one.asked(), two.asked(), three.asked()]).toEqual([1, 0, 0]);
    expect(tap.isBehind).toBe(false);
    one.give();
    await turn();
    expect([seen, tap.isBehind]).toEqual([[0], true]);
    wait(1000);
    tap.take(three.frame);
    three.give();
    await turn();
    expect([seen, tap.isBehind]).toEqual([[0, 2], false]);
  });

  test("a frame drawn again and again is read again now and then, and in the end", async () => {
    const { tap, wait } = tapOf({ now: "depth" });
    const one = processedOf(0);
    for (let i = 0; i < 10; i++) {
      tap.take(one.frame);
      one.give();
      await turn();
      wait(50);
    }
    expect(one.asked()).toBe(2);
    expect(tap.isBehind).toBe(true);
    wait(200);
    tap.take(one.frame);
    one.give();
    await turn();
    expect(tap.isBehind).toBe(false);
  });

  test("what is opened later wants more of the same frame", async () => {
    const need = { now: "source" as Need };
    const { tap, seen } = tapOf(need);
    const one = processedOf(0);
    tap.take(one.frame);
    expect([seen, tap.isBehind, tap.snapshot?.filtered]).toEqual([[0], false, undefined]);
    need.now = "depth";
    expect(tap.isBehind).toBe(true);
  });
});
