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
  terminate() {}
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

/** Asks a worker about the frames that it takes. */
function asking(onAnswer: ConstructorParameters<typeof Asker>[1] = () => {}) {
  const { shown, open, show } = page();
  open("a");
  const states: boolean[] = [];
  const asker = new Asker(shown, onAnswer, (isPending) => states.push(isPending));
  const take = (index: number) => {
    const origin = show(index);
    asker.take({ origin, frame: origin.frame, filtered: origin.frame.depth, shape: origin.frame } as Snapshot);
  };
  asker.ask({ regions: [] });
  return { states, take };
}

test("a worker that fails takes its readings with it, and the next frame is measured by another one", () => {
  const answers: (number | undefined)[] = [];
  const { take } = asking((answer) => answers.push(answer?.index));
  take(0);
  const first = Slow.made;
  first.answer(0);
  take(1);
  first.dispatchEvent(new Event("error"));
  expect(answers.at(-1)).toBeUndefined();
  take(2);
  expect(Slow.made).not.toBe(first);
  Slow.made.answer(2);
  expect(answers.at(-1)).toBe(2);
});

test("readings are pending from half a second after another frame is shown until that frame is measured", () => {
  const { states, take } = asking();
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
