import { afterEach, expect, test, vi } from "vitest";
import { startScreenTicks } from "../../viewer/live/shell/screenTicks.ts";
import { Events } from "../../viewer/live/state/events.ts";

// When startScreenTicks sends ticks: at every event, ten times a second at rest, with every screen picture during a motion.

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A page at rest. `picture` lets the screen draw a picture, and returns the number of ticks since the last one. */
function resting() {
  vi.useFakeTimers({ toFake: ["setInterval", "performance"] });
  const [events, view, page] = [new Events(), new EventTarget(), new EventTarget()];
  let asked: ((nowMs: number) => void)[] = [];
  let [ticks, moves] = [0, false];
  vi.stubGlobal("requestAnimationFrame", (tick: (nowMs: number) => void) => asked.push(tick));
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  events.tick$.subscribe(() => ticks++);
  const picture = (afterMs = 16) => {
    vi.advanceTimersByTime(afterMs);
    const now = asked;
    asked = [];
    for (const tick of now) tick(performance.now());
    const seen = ticks;
    ticks = 0;
    return seen;
  };
  startScreenTicks(events, view, () => moves);
  picture();
  const move = (on: boolean) => {
    moves = on;
  };
  return { events, view, page, picture, move };
}

test("a pointer on the picture or a key sends a tick at once, then ticks for as long as the picture may move", () => {
  const { view, page, picture, move } = resting();
  for (const [target, type] of [
    [view, "pointermove"],
    [page, "keydown"],
  ] as const) {
    target.dispatchEvent(new Event(type));
    // The tick comes at once, so that a motion starts from this moment and not from the last tick.
    expect(picture()).toBe(2);
    expect([picture(), picture(400), picture()]).toEqual([1, 1, 1]);
    move(true);
    expect([picture(200), picture(), picture()]).toEqual([1, 1, 1]);
    move(false);
    expect([picture(), picture(), picture()]).toEqual([1, 0, 0]);
  }
});
