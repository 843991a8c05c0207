import { button } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";
import type { Pointing, View } from "./pane.ts";
import type { Pixel } from "./projection.ts";
import { Readout, spellLength } from "./readout.ts";
import { type Measurement, Ruler } from "./ruler.ts";
import { type Snapshot, sampleAt } from "./snapshot.ts";

/** What the next click in a pane does. */
export type Tool = "ruler" | "pixel";

const HINTS: Readonly<Record<Tool, string>> = {
  ruler: "Click both ends of what you measure · Esc ends",
  pixel: "Click the pixel to plot · Esc ends",
};
const POINT = "Point at something";

/** What is pointed at, and what clicks put there: the ruler's ends, the pixel that is plotted. */
export class Probe implements Pointing {
  readonly element = element("div", "probe", { hidden: true });
  readonly ruler = new Ruler();
  tool: Tool | undefined;
  #over: { readonly view: View; readonly pixel: Pixel; readonly by: "pointer" | "keys" } | undefined;
  #measured: Measurement | undefined;
  readonly #readout = new Readout();
  readonly #tools: ReadonlyMap<Tool, HTMLButtonElement>;
  readonly #clear = button("Clear", () => this.#clearRuler(), "Take the ruler away");

  /** `onPixel`: a pixel was chosen to be plotted; `onChange`: what is needed of a frame may be another. */
  constructor(
    readonly snapshot: () => Snapshot | undefined,
    readonly onPixel: (pixel: Pixel) => void,
    readonly onChange: () => void,
  ) {
    const toolButton = (tool: Tool, label: string, hint: string) =>
      [tool, button(label, () => this.arm(this.tool === tool ? undefined : tool), hint)] as const;
    this.#tools = new Map([
      toolButton("ruler", "Ruler", "The distance between two points"),
      toolButton("pixel", "Plot pixel", "A pixel's depth over time"),
    ]);
    const row = element("div", "buttons", {}, this.#clear, ...this.#tools.values());
    this.element.append(this.#readout.element, row);
    this.#readout.element.hidden = false;
    addEventListener("keydown", ({ key }) => key === "Escape" && this.tool && this.arm(undefined));
    this.#press();
    this.refresh();
  }

  /** The pixel that is pointed at. */
  get pixel(): Pixel | undefined {
    return this.#over?.pixel;
  }

  /** Makes clicks do something else than to focus. */
  arm(tool: Tool | undefined): void {
    this.tool = tool;
    this.#press();
    this.refresh();
    this.onChange();
  }

  over(view: View, pixel: Pixel, by: "pointer" | "keys"): void {
    const before = this.#over;
    this.#over = { view, pixel, by };
    if (!before) this.onChange();
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
      this.ruler.put(pixel);
      this.refresh();
    }
    if (tool !== "pixel") return;
    this.arm(undefined);
    this.onPixel(pixel);
  }

  /** Another source: its pixels are others. */
  reset(): void {
    this.#over = undefined;
    this.#clearRuler();
  }

  /** Measures and says it all anew: a frame has come, or the pointer has moved. */
  refresh(): void {
    const snapshot = this.snapshot();
    const hint = this.tool ? HINTS[this.tool] : POINT;
    const unit = snapshot?.frame.metresPerUnit ?? 0.001;
    const over = this.#over;
    const sample = snapshot && over && sampleAt(snapshot, over.pixel);
    this.#readout.show(sample, unit, hint, over?.by === "keys");
    this.#measured = snapshot && this.ruler.measure(snapshot);
    this.#readout.showRuler(this.ruler.ends.length, this.#measured, unit);
    this.#clear.hidden = this.ruler.ends.length === 0;
  }

  /** Draws over a view: the ruler, the pixel that is plotted, and what is pointed at in another view or by keys. */
  mark(view: View, plotted: Pixel | undefined): void {
    const snapshot = this.snapshot();
    if (!snapshot) return;
    const spotOf = (pixel: Pixel | undefined) => pixel && view.spotOf(pixel, sampleAt(snapshot, pixel).point?.[2] ?? 0);
    const label = this.#measured ? spellLength(this.#measured, snapshot.frame.metresPerUnit) : "";
    view.marks.showRuler(this.ruler.ends.map(spotOf), label);
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
