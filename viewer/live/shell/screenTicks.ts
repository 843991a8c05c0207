import type { Events } from "../state/events.ts";

/** A tick comes at least once in this time, ms, for the parts of the page that show numbers. */
const CALM_MS = 100;
/**
 * After a gesture or a key ticks continue for this long, ms: the motion may begin a little later, when the point under the pointer has been
 * looked up.
 */
const LIVELY_MS = 500;

/**
 * Emits `tick$` for each picture of the screen while something moves (`moves`) or a hand on `view` may be about to move it. Otherwise emits
 * it after new frames and changed settings, and at a slow pace: each tick costs the browser a picture, even if it is the same.
 */
export function startScreenTicks(
  { tick$, shown$, stages$, moved$ }: Pick<Events, "tick$" | "shown$" | "stages$" | "moved$">,
  view: EventTarget,
  moves: () => boolean,
): void {
  let asked = false;
  let livelyMs = Number.NEGATIVE_INFINITY;
  const ask = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(tick);
  };
  const tick = (nowMs: number) => {
    asked = false;
    tick$.next(nowMs);
    if (moves() || nowMs < livelyMs) ask();
  };
  const touched = () => {
    const nowMs = performance.now();
    // A motion that begins now starts at this time, since nothing has moved until now.
    if (nowMs > livelyMs && !moves()) tick$.next(nowMs);
    livelyMs = nowMs + LIVELY_MS;
    ask();
  };
  for (const type of ["pointerdown", "pointermove", "wheel"]) view.addEventListener(type, touched, EARLY);
  for (const type of ["keydown", "click"]) addEventListener(type, touched, EARLY);
  addEventListener("input", ask);
  shown$.subscribe(ask);
  stages$.subscribe(ask);
  moved$.subscribe(ask);
  setInterval(ask, CALM_MS);
  ask();
}

const EARLY = { capture: true, passive: true };
