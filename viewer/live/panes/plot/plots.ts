import type { Clock, FrameTiming, Pipeline, ProcessedFrame } from "../../../../pipeline/index.ts";
import { titleOf } from "../../../overlay/titles.ts";
import { wallClockStepUs } from "../../../report/wallClock.ts";
import { fieldControl } from "../../panel/fieldControl.ts";
import type { Gauge, Origin, Shown } from "../../show/shown.ts";
import type { ViewSettings } from "../../state/settings.ts";
import type { Settings } from "../../state/store.ts";
import { PaneBox } from "../paneBox.ts";
import type { Snapshot } from "../probe/snapshot.ts";
import { paneFields } from "../settings.ts";
import { LATENCIES, LatencyPlot } from "./latencyPlot.ts";
import { PixelPlot } from "./pixelPlot.ts";

/** Plots are drawn no more often, ms. */
const EVERY_MS = 120;

type PlotSettings = Pick<ViewSettings, "panePixel" | "paneLatency" | "plotU" | "plotV" | "latencyScale">;

/** What is drawn over time: a pixel's depth, and what each stage takes. */
export class Plots {
  readonly pixel = new PixelPlot();
  readonly boxes: { readonly pixel: HTMLElement; readonly latency: HTMLElement };
  readonly #latency: LatencyPlot;
  readonly #plotted: Gauge<Snapshot>;
  readonly #timed: Gauge<{ readonly index: number; readonly times: FrameTiming }>;
  #drawnMs = 0;

  constructor(
    readonly pipeline: Pick<Pipeline, "gpu" | "statistics" | "trace" | "stages">,
    readonly shown: Pick<Shown, "gauge" | "origin">,
    readonly settings: Settings<PlotSettings>,
  ) {
    const wallStepUs = wallClockStepUs();
    const stepUs = (clock: Clock) => (clock === "gpu" ? (pipeline.gpu?.clockResolutionUs ?? 0) : wallStepUs);
    this.#latency = new LatencyPlot(
      pipeline.statistics.budgetMs,
      stepUs,
      fieldControl(paneFields, "latencyScale", settings),
      () => settings.now.latencyScale,
      (name) => titleOf(pipeline.stages, name),
    );
    this.#plotted = shown.gauge("recording", (snapshot) => {
      if (snapshot) this.pixel.observe(snapshot);
      else this.pixel.clear();
    });
    this.#timed = shown.gauge("recording", (timed) => {
      if (timed) this.#latency.observe(timed.index, timed.times);
      else this.#latency.clear();
    });
    const box = (title: string, key: "panePixel" | "paneLatency", content: HTMLElement) =>
      new PaneBox({ title, onClose: () => settings.update({ [key]: false }) }, content);
    const latency = box("Latency over time", "paneLatency", this.#latency.element);
    latency.tools(this.#latency.control);
    this.boxes = {
      pixel: box("Pixel over time", "panePixel", this.pixel.element).element,
      latency: latency.element,
    };
  }

  /** Shows settings that somebody else has changed. */
  refresh(): void {
    const { plotU, plotV } = this.settings.now;
    const { pixel } = this.pixel;
    if (plotU < 0) this.pixel.choose(undefined);
    else if (pixel?.u !== plotU || pixel.v !== plotV) this.pixel.choose({ u: plotU, v: plotV });
    this.#latency.refresh();
  }

  /** Latency begins with the frames whose times are known. */
  fillLatency(): void {
    const { origin } = this.shown;
    this.#timed.clear();
    if (!origin) return;
    for (const { index, timing: times } of this.pipeline.trace.frames.slice(-LATENCIES))
      this.#timed.put(origin, { index, times });
  }

  /** Takes what a frame has at the pixel that is plotted. */
  plot(snapshot: Snapshot): void {
    this.#plotted.put(snapshot.origin, snapshot);
  }

  /** To be called with each frame that is shown. */
  observe({ index, timing }: Pick<ProcessedFrame, "index" | "timing">, origin: Origin): void {
    if (!this.settings.now.paneLatency) return;
    void timing.then((times) => times && this.#timed.put(origin, { index, times }));
  }

  /** To be called once a picture. */
  tick(nowMs: number): void {
    if (nowMs - this.#drawnMs < EVERY_MS) return;
    this.#drawnMs = nowMs;
    if (this.settings.now.panePixel) this.pixel.draw();
    if (this.settings.now.paneLatency) this.#latency.draw();
  }
}
