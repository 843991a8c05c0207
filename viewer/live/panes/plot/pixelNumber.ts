import type { PixelTool } from "../pane.ts";
import type { Pixel } from "../probe/projection.ts";
import { type Snapshot, sampleAt } from "../probe/snapshot.ts";
import type { Kind, NumberTable, Offer } from "./numbers.ts";

/** The depth of one pixel, as a number over time. */
export const PIXEL = {
  name: "pixel",
  summary: "The depth of a pixel that you click, with its standard deviation over the plot",
  kinds: ["raw", "filtered"].map((which): Kind => ({ name: `pixel, ${which}`, unit: "mm", spread: true })),
} satisfies Offer;

/** Puts a pixel's depths, raw and filtered, into the row of their frame. */
export function putPixel(table: NumberTable, snapshot: Snapshot, pixel: Pixel): void {
  const { rawM, filteredM } = sampleAt(snapshot, pixel);
  for (const [k, metres] of [rawM, filteredM].entries())
    table.put(snapshot.frame.index, PIXEL.kinds[k], metres > 0 ? metres * 1000 : null);
}

/** The tool that has people click the pixel. */
export const pixelTool = (
  pixel: () => Pixel | undefined,
  isAsking: () => boolean,
  choose: (pixel: Pixel) => void,
): PixelTool => ({
  label: "Plot pixel",
  summary: "Plots the depth of a pixel that you click over time",
  hint: "Click the pixel to plot",
  shortcut: { key: "p", says: "Plot the depth of a pixel over time" },
  get pixel() {
    return pixel();
  },
  isAsking,
  choose,
});
