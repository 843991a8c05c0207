import type { SensorNoise } from "../../../../stages/core/noise.ts";
import { button } from "../../../dom/controls.ts";
import { element } from "../../../dom/element.ts";
import type { Shown } from "../../show/shown.ts";
import type { Pointing, View } from "../pane.ts";
import type { Pixel } from "./projection.ts";
import { Readout, spellLength } from "./readout.ts";
import { type Measurement, Ruler } from "./ruler.ts";
import { type Snapshot, sampleAt } from "./snapshot.ts";

/** What the next click in a pane does. */
export type Tool = "ruler" | "pixel";

const HINTS: Readonly<Record<Tool, string>> = {
  ruler: "Click two points to measure between them · Esc removes the ruler",
  pixel: "Click the pixel to plot · Esc stops",
};
const POINT = "Move the pointer over a picture to read its depth";

export interface ProbeParts {
  readonly shown: Pick<Shown, "gauge" | "origin">;
  /** The frame that is read out; none while that of the screen is not there. */
  readonly snapshot: () => Snapshot | undefined;
  /** The sensor's noise, where it is known. */
  readonly noise: () => SensorNoise | undefined;
  /** Stops playing. */
  readonly pause: () => void;
  /** A pixel was chosen to be plotted. */
  readonly onPixel: (pixel: Pixel) => void;
  /** What is needed of a frame may be another. */
  readonly onChange: () => void;
}

/** What is pointed at, and what clicks put there: the ruler's ends, the pixel that is plotted. */
export class Probe implements Pointing {
  readonly element = element("div", "probe", { hidden: true });
  readonly ruler: Ruler;
  tool: Tool | undefined;
  #over: { readonly view: View; readonly pixel: Pixel; readonly by: "pointer" | "keys" } | undefined;
  #measured: Measurement | undefined;
  readonly #readout = new Readout();
  readonly #tools: ReadonlyMap<Tool, HTMLButtonElement>;
  readonly #clear = button("Clear", () => this.#clearRuler(), "Removes the ruler");

  constructor(readonly parts: ProbeParts) {
    this.ruler = new Ruler(parts.shown, () => {
      this.refresh();
      parts.onChange();
    });
    const toolButton = (tool: Tool, label: string, hint: string) =>
      [tool, button(label, () => this.arm(this.tool === tool ? undefined : tool), hint)] as const;
    this.#tools = new Map([
      toolButton("ruler", "Ruler", "Measures the distance between two points that you click"),
      toolButton("pixel", "Plot pixel", "Plots the depth of a pixel that you click over time"),
    ]);
    const row = element("div", "buttons", {}, this.#clear, ...this.#tools.values());
    this.element.append(this.#readout.element, row);
    this.#readout.element.hidden = false;
    addEventListener("keydown", ({ key }) => {
      // A dialog over the page has the key to itself.
      if (key === "Escape" && !document.querySelector("dialog:modal")) this.#putAway();
    });
    this.#press();
    this.refresh();
  }

  /** A tool is in the hand, or the ruler lies somewhere. */
  get isUsed(): boolean {
    return this.tool !== undefined || this.ruler.ends.length > 0;
  }

  /** The pixel that is pointed at. */
  get pixel(): Pixel | undefined {
    return this.#over?.pixel;
  }

  /** Makes clicks do something else than to focus. */
  arm(tool: Tool | undefined): void {
    this.tool = tool;
    // Both ends are points of one frame, which has to stay for the second one to be put.
    if (tool === "ruler") this.parts.pause();
    this.#press();
    this.refresh();
    this.parts.onChange();
  }

  #putAway(): void {
    this.ruler.clear();
    if (this.tool) this.arm(undefined);
  }

  over(view: View, pixel: Pixel, by: "pointer" | "keys"): void {
    const before = this.#over;
    this.#over = { view, pixel, by };
    if (!before) this.parts.onChange();
    this.refresh();
  }

  away(view: View): void {
    if (this.#over?.view !== view) return;
    this.#over = undefined;
    this.refresh();
  }

  take(_view: View, pixel: Pixel): void {
    const { tool } = this;
    if (tool === "ruler") {
      this.parts.pause();
      this.ruler.put(pixel);
      this.refresh();
    }
    if (tool !== "pixel") return;
    this.arm(undefined);
    this.parts.onPixel(pixel);
  }

  /** Another source: its pixels are others. */
  reset(): void {
    this.#over = undefined;
    this.refresh();
  }

  /** Measures and says it all anew: a frame has come, or the pointer has moved. */
  refresh(): void {
    const snapshot = this.parts.snapshot();
    const hint = this.tool ? HINTS[this.tool] : POINT;
    const unit = snapshot?.frame.metresPerUnit ?? 0.001;
    const over = this.#over;
    const sample = snapshot && over && sampleAt(snapshot, over.pixel);
    this.#readout.show(sample, unit, hint, over?.by === "keys");
    this.#measured = snapshot && this.ruler.measure(snapshot, this.parts.noise());
    this.#readout.showRuler(this.ruler.ends.length, this.#measured, unit);
    this.#clear.hidden = this.ruler.ends.length === 0;
  }

  /** Draws over a view: the ruler, the pixel that is plotted, and what is pointed at in another view or by keys. */
  mark(view: View, plotted: Pixel | undefined): void {
    const snapshot = this.parts.snapshot();
    if (!snapshot) {
      view.marks.clear();
      return;
    }
    const spotOf = (pixel: Pixel | undefined) => pixel && view.spotOf(pixel, sampleAt(snapshot, pixel).point);
    const label = this.#measured ? spellLength(this.#measured, snapshot.frame.metresPerUnit) : "";
    const points = this.ruler.pointsIn(snapshot);
    const ends = this.ruler.ends.map((end, i) => view.spotOf(end, points[i]));
    view.marks.showRuler(ends, label);
    view.marks.showPlotted(spotOf(plotted));
    const over = this.#over;
    view.marks.showCursor(over && (over.view !== view || over.by === "keys") ? spotOf(over.pixel) : undefined);
  }

  #press(): void {
    for (const [name, made] of this.#tools) made.ariaPressed = `${name === this.tool}`;
  }

  #clearRuler(): void {
    this.ruler.clear();
    this.refresh();
  }
}
