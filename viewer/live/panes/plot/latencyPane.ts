import type { Clock, FrameTiming } from "../../../../pipeline/index.ts";
import { titleOf } from "../../../overlay/titles.ts";
import { wallClockStepUs } from "../../../report/wallClock.ts";
import { type Fields, oneOf } from "../../state/field.ts";
import { definePane, type Pane, type PaneParts } from "../pane.ts";
import { LATENCIES, LatencyPlot } from "./latencyPlot.ts";

const fields = {
  latencyScale: oneOf(
    "Height",
    "budget",
    { budget: "Budget", fit: "Fit" },
    "Whether the latency plot reaches up to the budget or to the slowest frame",
  ),
} satisfies Fields;

export const latencyPane = definePane({
  name: "latency",
  label: "Latency over time",
  summary: "How long each stage took",
  place: "below",
  order: 40,
  initial: false,
  key: "t",
  fields,
  needs: () => "nothing",
  create: (parts) => paneOf(parts),
});

function paneOf({ settings, control, pipeline, shown }: PaneParts<typeof fields>): Pane {
  const wallStepUs = wallClockStepUs();
  const stepUs = (clock: Clock) => (clock === "gpu" ? (pipeline.gpu?.clockResolutionUs ?? 0) : wallStepUs);
  const plot = new LatencyPlot(
    pipeline.statistics.budgetMs,
    stepUs,
    () => settings.now.latencyScale,
    (name) => titleOf(pipeline.stages, name),
  );
  const timed = shown.gauge<{ readonly index: number; readonly times: FrameTiming }>("recording", (value) => {
    if (value) plot.observe(value.index, value.times);
    else plot.clear();
  });
  settings.changes$.subscribe(() => plot.refresh());
  return {
    content: [plot.element],
    tools: [control("latencyScale")],
    // The plot begins with the frames whose times the pipeline still knows.
    opened() {
      const { origin } = shown;
      timed.clear();
      if (!origin) return;
      for (const { index, timing: times } of pipeline.trace.frames.slice(-LATENCIES))
        timed.put(origin, { index, times });
    },
    observe({ index, timing }, origin) {
      void timing.then((times) => times && timed.put(origin, { index, times }));
    },
    draw: () => plot.draw(),
  };
}
