import type { Events } from "../state/events.ts";

/** So often at least, ms: what shows numbers goes by it. */
const CALM_MS = 100;
/** What a hand or a key sets off may begin a little later, when it is known what is there, ms. */
const LIVELY_MS = 500;

/**
 * Has the picture in `view` looked after at each of the screen's while something moves in it (`moves`) or a hand may be about to
 * move it; else with each frame, with what is set, and now and then: what has nothing new to show costs a screen's picture too.
 */
export function startScreenTicks(
  { tick$, shown$, stages$ }: Pick<Events, "tick$" | "shown$" | "stages$">,
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
    // What moves from now on stood still until now.
    if (nowMs > livelyMs && !moves()) tick$.next(nowMs);
    livelyMs = nowMs + LIVELY_MS;
    ask();
  };
  for (const type of ["pointerdown", "pointermove", "wheel"]) view.addEventListener(type, touched, EARLY);
  for (const type of ["keydown", "click"]) addEventListener(type, touched, EARLY);
  addEventListener("input", ask);
  shown$.subscribe(ask);
  stages$.subscribe(ask);
  setInterval(ask, CALM_MS);
  ask();
}

const EARLY = { capture: true, passive: true };
