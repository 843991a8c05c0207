import { amount, type Fields } from "../../state/field.ts";
import { definePane, type Pane, type PaneParts, type PixelTool } from "../pane.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import { PixelPlot } from "./pixelPlot.ts";

const PIXELS = { min: -1, max: 65535, step: 1 };

const fields = {
  plotU: amount("Plotted column", -1, PIXELS, "The column of the plotted pixel; −1: none"),
  plotV: amount("Plotted row", -1, PIXELS, "The row of the plotted pixel; −1: none"),
} satisfies Fields;

export const pixelPane = definePane({
  name: "pixel",
  label: "Pixel over time",
  summary: "Raw and filtered depth of one pixel",
  place: "below",
  order: 30,
  initial: false,
  key: "p",
  keySays: "Plot the pixel pointed at over time",
  fields,
  needs: () => "depth",
  create: (parts) => paneOf(parts),
});

function paneOf({ settings, shown, snapshot }: PaneParts<typeof fields>): Pane {
  const plot = new PixelPlot();
  const plotted = shown.gauge<Snapshot>("recording", (value) => {
    if (value) plot.observe(value);
    else plot.clear();
  });
  const show = (value: Snapshot) => plotted.put(value.origin, value);
  const pixelTool: PixelTool = {
    label: "Plot pixel",
    summary: "Plots the depth of a pixel that you click over time",
    hint: "Click the pixel to plot · Esc stops",
    get pixel() {
      return plot.pixel;
    },
    isAsking: () => plot.pixel === undefined,
    choose: ({ u, v }) => settings.update({ plotU: u, plotV: v }),
  };
  const refresh = () => {
    const { plotU, plotV } = settings.now;
    const { pixel } = plot;
    if (plotU < 0) plot.choose(undefined);
    else if (pixel?.u !== plotU || pixel.v !== plotV) plot.choose({ u: plotU, v: plotV });
    const now = snapshot();
    if (now?.filtered) show(now);
  };
  settings.changes$.subscribe(refresh);
  refresh();
  return {
    content: [plot.element],
    pixelTools: [pixelTool],
    show,
    draw: () => plot.draw(),
    newSource(isFirst) {
      // A link may name a pixel of the first source that it opens; with another source that pixel means nothing.
      if (!isFirst) settings.update({ plotU: -1, plotV: -1 });
    },
  };
}
