import type { Pipeline } from "../../../pipeline/index.ts";
import { setText } from "../../dom/controls.ts";

/** The line changes at most once in this time, ms. */
const EVERY_MS = 250;

/**
 * While the governor lowers the picture's quality, a line on the picture says in which respect. Call the returned function for each picture
 * of the screen.
 */
export function easedLine(
  line: HTMLElement,
  governor: Pick<Pipeline["governor"], "snapshot">,
): (nowMs: number) => void {
  let nextMs = 0;
  return (nowMs) => {
    if (nowMs < nextMs) return;
    nextMs = nowMs + EVERY_MS;
    const { says } = governor.snapshot();
    line.hidden = says.length === 0;
    setText(line, says.length === 0 ? "" : `Quality lowered: ${says.map(short).join(", ")}`);
  };
}

/** The governor's words, as short as a line over the picture has room for. */
const short = (says: string): string =>
  says.replace(/^picture at (\d+) % .*/, (_, percent) => (percent === "50" ? "half size" : `${percent} % of the size`));
