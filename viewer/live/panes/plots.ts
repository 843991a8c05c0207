import type { Clock, Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import { wallClockStepUs } from "../../report/wallClock.ts";
import type { ViewSettings } from "../settings.ts";
import { LatencyPlot } from "./latencyPlot.ts";
import { PaneBox } from "./paneBox.ts";
import { PixelPlot } from "./pixelPlot.ts";

/** Plots are drawn no more often, ms. */
const EVERY_MS = 120;

type Settings = Pick<ViewSettings, "panePixel" | "paneLatency" | "plotU" | "plotV" | "latencyScale">;

/** What is drawn over time: a pixel's depth, and what each stage takes. */
export class Plots {
  readonly pixel = new PixelPlot();
  readonly boxes: { readonly pixel: HTMLElement; readonly latency: HTMLElement };
  readonly #latency: LatencyPlot;
  #drawnMs = 0;

  constructor(
    readonly pipeline: Pick<Pipeline, "gpu" | "statistics" | "trace">,
    readonly settings: Settings,
    set: (changes: Partial<Settings>) => void,
  ) {
    const wallStepUs = wallClockStepUs();
    const stepUs = (clock: Clock) => (clock === "gpu" ? (pipeline.gpu?.clockResolutionUs ?? 0) : wallStepUs);
    this.#latency = new LatencyPlot(
      pipeline.statistics.budgetMs,
      stepUs,
      () => settings.latencyScale,
      (latencyScale) => set({ latencyScale }),
    );
    const box = (title: string, key: "panePixel" | "paneLatency", content: HTMLElement) =>
      new PaneBox({ title, onClose: () => set({ [key]: false }) }, content);
    const latency = box("Latency over time", "paneLatency", this.#latency.element);
    latency.tools(this.#latency.control);
    this.boxes = {
      pixel: box("Pixel over time", "panePixel", this.pixel.element).element,
      latency: latency.element,
    };
  }

  /** Shows settings that somebody else has changed. */
  refresh(): void {
    const { plotU, plotV } = this.settings;
    const { pixel } = this.pixel;
    if (plotU < 0) this.pixel.choose(undefined);
    else if (pixel?.u !== plotU || pixel.v !== plotV) this.pixel.choose({ u: plotU, v: plotV });
    this.#latency.refresh();
  }

  /** Latency begins with what is known. */
  fillLatency(): void {
    this.#latency.fill(this.pipeline.trace.frames);
  }

  /** To be called with each frame that is shown. */
  observe({ index, timing }: Pick<ProcessedFrame, "index" | "timing">): void {
    if (!this.settings.paneLatency) return;
    void timing.then((times) => times && this.#latency.observe(index, times));
  }

  /** To be called once a picture. */
  tick(nowMs: number): void {
    if (nowMs - this.#drawnMs < EVERY_MS) return;
    this.#drawnMs = nowMs;
    if (this.settings.panePixel) this.pixel.draw();
    if (this.settings.paneLatency) this.#latency.draw();
  }
}
