import { Subject } from "rxjs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SOON_MS, showPreparing } from "../../viewer/live/show/preparingNotice.ts";

// While a slow GPU compiles the shaders of the first picture, or a busy CPU computes it, the page shows a notice.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A page whose stages have just been given the first frame; `says` returns the notices on it. */
function opening(onGpu = true) {
  const said = new Map<string, string>();
  const events = { frame$: new Subject<void>(), shown$: new Subject<void>(), refused$: new Subject<void>() };
  showPreparing(
    { show: (kind, topic, text) => said.set(topic, `${kind}: ${text}`), clear: (topic) => said.delete(topic) },
    events,
    onGpu,
  );
  const says = () => [...said.values()];
  vi.advanceTimersByTime(SOON_MS * 5);
  // No frame has come.
  expect(says()).toEqual([]);
  events.frame$.next();
  return { events, says };
}

const BUSY = ["busy: Compiling shaders…"];

test("the preparing notice shows while the first picture takes long, and never again afterwards", () => {
  const { events, says } = opening();
  vi.advanceTimersByTime(SOON_MS - 1);
  expect(says()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(says()).toEqual(BUSY);
  // Further frames, which are dropped meanwhile, change nothing.
  events.frame$.next();
  expect(says()).toEqual(BUSY);
  events.shown$.next();
  expect(says()).toEqual([]);
  events.frame$.next();
  vi.advanceTimersByTime(SOON_MS * 5);
  expect(says()).toEqual([]);
});

test.each([0, SOON_MS])("the preparing notice disappears when a stage refuses the frame after %d ms", (ms) => {
  const { events, says } = opening();
  vi.advanceTimersByTime(ms);
  events.refused$.next();
  vi.advanceTimersByTime(SOON_MS * 5);
  expect(says()).toEqual([]);
});
