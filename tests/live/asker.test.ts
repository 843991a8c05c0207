import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Asker } from "../../viewer/live/panes/measure/asker.ts";
import type { Snapshot } from "../../viewer/live/panes/probe/snapshot.ts";
import { page } from "./page.ts";

// Readings of an older frame than that on the screen are marked as pending.

/** A worker that answers when the test says so. */
class Slow extends EventTarget {
  static made: Slow;
  constructor() {
    super();
    Slow.made = this;
  }
  postMessage() {}
  answer(index: number) {
    this.dispatchEvent(new MessageEvent("message", { data: { index, timestamp: 0 } }));
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.stubGlobal("Worker", Slow);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("readings are pending from half a second after another frame is shown until that frame is measured", () => {
  const { shown, open, show } = page();
  open("a");
  const states: boolean[] = [];
  const asker = new Asker(
    shown,
    () => {},
    (isPending) => states.push(isPending),
  );
  const take = (index: number) => {
    const origin = show(index);
    asker.take({ origin, frame: origin.frame, filtered: origin.frame.depth, shape: origin.frame } as Snapshot);
  };
  asker.ask({ regions: [] });
  take(0);
  vi.advanceTimersByTime(100);
  Slow.made.answer(0);
  expect(states).toEqual([false]);
  // While frames play and each answer comes soon, nothing is pending, though a newer frame is there each time.
  for (let index = 1; index < 30; index++) {
    take(index);
    vi.advanceTimersByTime(60);
    Slow.made.answer(index - 1);
  }
  expect(states).not.toContain(true);
  take(30);
  vi.advanceTimersByTime(501);
  expect(states.at(-1)).toBe(true);
  Slow.made.answer(29);
  Slow.made.answer(30);
  expect(states.at(-1)).toBe(false);
});
