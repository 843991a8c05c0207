import { describe, expect, test } from "vitest";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import type { DepthFrame } from "../../sources/index.ts";
import type { FrameNeed } from "../../viewer/live/panes/pane.ts";
import { FrameTap } from "../../viewer/live/panes/probe/frameTap.ts";
import type { Origin } from "../../viewer/live/show/shown.ts";
import { page } from "./page.ts";

// FrameTap gives the panes their frames. It reads back only the depth that an open pane needs, and never holds the stream up.

/** A frame whose depth arrives when `give` is called. */
function processedOf({ frame: source }: Origin) {
  let give = () => {};
  let asked = 0;
  const readDepth = () => {
    asked++;
    return new Promise<DepthFrame["depth"]>((resolve) => {
      give = () => resolve(source.depth);
    });
  };
  const frame = { index: source.index, source, shape: source, readDepth } as unknown as ProcessedFrame;
  return { frame, give: () => give(), asked: () => asked };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A tap on a page; `seen` lists the numbers of the frames that the tap gave, `undefined` where it took a frame away. */
function tapOf(need: { now: FrameNeed }) {
  const seen: (number | undefined)[] = [];
  const all = page();
  const tap = new FrameTap(
    all.shown,
    () => need.now,
    (snapshot) => seen.push(snapshot?.frame.index),
  );
  all.open("a");
  return { ...all, tap, seen };
}

describe("the frame tap of the panes", () => {
  test("reads no depth while no pane is open", () => {
    const { tap, seen, show } = tapOf({ now: "nothing" });
    const origin = show(0);
    const one = processedOf(origin);
    tap.take(one.frame, origin);
    expect([one.asked(), seen, tap.isBehind]).toEqual([0, [], false]);
  });

  test("reads one frame at a time, skips the frames in between, and is behind until the last one is read", async () => {
    const { tap, seen, show, play } = tapOf({ now: "depth" });
    play();
    const origins = [show(0), show(1), show(2)];
    const [one, two, three] = origins.map(processedOf);
    for (const [i, { frame }] of [one, two, three].entries()) tap.take(frame, origins[i]);
    expect([one.asked(), two.asked(), three.asked()]).toEqual([1, 0, 0]);
    expect(tap.isBehind).toBe(false);
    one.give();
    await turn();
    expect([seen, tap.isBehind]).toEqual([[0], true]);
    tap.take(three.frame, origins[2]);
    three.give();
    await turn();
    expect([seen, tap.isBehind]).toEqual([[0, 2], false]);
  });

  test("reads a frame once, however often the frame is drawn again for a new view", async () => {
    const { tap, show } = tapOf({ now: "depth" });
    const origin = show(0);
    const one = processedOf(origin);
    for (let i = 0; i < 10; i++) {
      tap.take(one.frame, origin);
      one.give();
      await turn();
    }
    expect([one.asked(), tap.isBehind]).toEqual([1, false]);
  });

  test("drops a frame's depth at once when a filter changes, and reads the frame again", async () => {
    const { tap, seen, show, again, filter } = tapOf({ now: "depth" });
    const origin = show(0);
    const one = processedOf(origin);
    tap.take(one.frame, origin);
    one.give();
    await turn();
    filter.set({ size: 5 });
    const next = again();
    expect([seen, tap.snapshot, tap.isBehind]).toEqual([[0, undefined], undefined, true]);
    if (next) tap.take(one.frame, next);
    one.give();
    await turn();
    expect([one.asked(), seen]).toEqual([2, [0, undefined, 0]]);
  });
});
