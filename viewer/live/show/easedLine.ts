import type { Pipeline } from "../../../pipeline/index.ts";
import { element, setText } from "../../dom/controls.ts";

/** The line changes at most once in this time, ms. */
const EVERY_MS = 250;

/** A dropped frame is told of for this long, ms. */
const TOLD_MS = 2000;

/**
 * While the governor lowers the picture's quality, a line on the picture says in which respect, and whether frames are left out all the
 * same. Call the returned function for each picture of the screen.
 */
export function easedLine(
  line: HTMLElement,
  { governor, statistics }: Pick<Pipeline, "governor" | "statistics">,
): (nowMs: number) => void {
  const [words, left] = [element("span"), element("span", "left", {}, "; frames are left out")];
  line.append(words, left);
  let [nextMs, dropped, droppedMs] = [0, 0, Number.NEGATIVE_INFINITY];
  return (nowMs) => {
    if (nowMs < nextMs) return;
    nextMs = nowMs + EVERY_MS;
    if (statistics.dropped > dropped) droppedMs = nowMs;
    dropped = statistics.dropped;
    const { says } = governor.snapshot();
    line.hidden = says.length === 0;
    left.hidden = nowMs - droppedMs >= TOLD_MS;
    setText(words, `Quality: ${says.join(", ")}`);
  };
}
