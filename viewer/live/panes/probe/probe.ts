import { spellReading } from "../../../../measure/reading.ts";
import type { SensorNoise } from "../../../../stages/core/noise.ts";
import { button, element } from "../../../dom/controls.ts";
import { entry } from "../../../dom/menu.ts";
import { spellKey } from "../../control/keys.ts";
import type { Shown } from "../../show/shown.ts";
import type { PixelTool } from "../pane.ts";
import type { AreaKind, PixelPicture, Pointing } from "../pixelPicture.ts";
import type { Shape } from "./marks.ts";
import type { Pixel } from "./projection.ts";
import { Readout } from "./readout.ts";
import { type Measurement, Ruler } from "./ruler.ts";
import { type Snapshot, sampleAt } from "./snapshot.ts";

/** A tool decides what the next click in a picture does: the ruler, or one of a pane's `pixelTools`. */
export type Tool = "ruler" | (string & {});

const CORNER_HINT = "Click the opposite corner";
const RULER_HINT = "Click two points to measure between them";
/** What lies over the pictures, and is closed by Esc before the ruler and a tool. */
const OVER = "dialog:modal, :popover-open, details.menu[open]";
/** The unit until there is a frame. */
const MILLIMETRES = { metresPerUnit: 0.001 };
const MISS_HINT = "No depth there: click on a surface in the picture";
const POINT_HINT = "Point at a picture, or tap it, to read its depth";

/** A pixel that somebody points at; without `picture` in the page beside. */
interface Over {
  readonly picture: PixelPicture | undefined;
  readonly pixel: Pixel;
  readonly by: "pointer" | "keys";
}

interface ToolButton {
  readonly button: HTMLButtonElement;
  readonly hint: string;
  readonly area: AreaKind | undefined;
}

export interface ProbeParts {
  readonly shown: Pick<Shown, "gauge" | "origin">;
  /** The frame on the screen; `undefined` while the panes have no copy of it. */
  readonly snapshot: () => Snapshot | undefined;
  /** The sensor's noise, where it is known. */
  readonly noise: () => SensorNoise | undefined;
  /** Stops playing. */
  readonly pause: () => void;
  /** Somebody clicked a pixel with the tool of that name, or gave an area by its corners. */
  readonly onPixel: (tool: Tool, pixels: readonly Pixel[]) => void;
  /** Is called when somebody points at another pixel, or at none any more. */
  readonly onPoint: (pixel: Pixel | undefined) => void;
  /** Another tool is used, or something else is pointed at: the panes may need more or less of each frame now. */
  readonly onChange: () => void;
}

/** Reads out the pixel that is pointed at, and has clicks put the ruler's ends or choose a pixel for a pane. */
export class Probe implements Pointing {
  readonly element = element("div", "probe", { hidden: true });
  readonly ruler: Ruler;
  readonly ruleButton: HTMLButtonElement;
  tool: Tool | undefined;
  #over: Over | undefined;
  /** Whether the last click with a tool met no surface, and nothing else was pointed at since. */
  #missed = false;
  /** The first corner of an area. */
  #corner: Pixel | undefined;
  #measured: Measurement | undefined;
  readonly #readout = new Readout();
  readonly #tools = new Map<Tool, ToolButton>();
  readonly #done = button("Done", () => this.#putAway(), "Puts the tool away, and the ruler (Esc)");

  constructor(readonly parts: ProbeParts) {
    this.ruler = new Ruler(parts.shown, () => {
      this.refresh();
      parts.onChange();
    });
    const summary = "The distance between two points that you click";
    this.ruleButton = this.addTool("ruler", { label: "Ruler", summary, hint: RULER_HINT }, "m");
    this.element.append(this.#readout.element, this.#done);
    this.#readout.element.hidden = false;
    addEventListener("keydown", ({ key, defaultPrevented }) => {
      // Esc closes the uppermost thing alone.
      if (key === "Escape" && !defaultPrevented && !document.querySelector(OVER)) this.#putAway();
    });
    this.refresh();
  }

  /** Adds a tool. Returns the button that takes the tool up and puts it away, for a menu. */
  addTool(
    name: Tool,
    { label, summary, hint, area }: Pick<PixelTool, "label" | "summary" | "hint" | "area">,
    key?: string,
  ): HTMLButtonElement {
    const made = entry(label, summary, () => this.toggle(name), "", key && spellKey(key));
    this.#tools.set(name, { button: made, hint, area });
    this.#press();
    return made;
  }

  /** Whether a tool waits for a click, or the ruler has an end. */
  get isUsed(): boolean {
    return this.tool !== undefined || this.ruler.ends.length > 0;
  }

  /** The pixel that somebody points at. */
  get pixel(): Pixel | undefined {
    return this.#over?.pixel;
  }

  /** Takes a tool up, or puts it away if it is up. */
  toggle(tool: Tool): void {
    if (this.tool === tool) this.#putAway();
    else this.arm(tool);
  }

  /** Has clicks used by a tool until another one is taken up, or none; without one a click focuses the lens. */
  arm(tool: Tool | undefined): void {
    this.tool = tool;
    this.#corner = undefined;
    this.#missed = false;
    // Both ends belong to one frame, so that frame has to stay until the second end is put.
    if (tool === "ruler") this.parts.pause();
    this.#press();
    this.refresh();
    this.parts.onChange();
  }

  #putAway(): void {
    this.ruler.clear();
    this.arm(undefined);
  }

  over(picture: PixelPicture, pixel: Pixel, by: "pointer" | "keys"): void {
    this.#point({ picture, pixel, by });
    this.parts.onPoint(pixel);
  }

  /** Takes the pixel that somebody points at in the page beside, or that none is pointed at any more. */
  beside(pixel: Pixel | undefined): void {
    if (pixel) this.#point({ picture: undefined, pixel, by: "pointer" });
    else if (this.#over && !this.#over.picture) this.reset();
  }

  #point(over: Over): void {
    const before = this.#over;
    this.#over = over;
    this.#missed = false;
    if (!before) this.parts.onChange();
    this.refresh();
  }

  away(picture: PixelPicture): void {
    if (this.#over?.picture !== picture) return;
    this.reset();
    this.parts.onPoint(undefined);
  }

  take(_picture: PixelPicture, pixel: Pixel | undefined): void {
    const { tool } = this;
    // An outline is drawn by a drag; a click draws none.
    if (tool === undefined || this.wantsArea === "outline") return;
    this.#missed = !pixel;
    if (pixel && tool === "ruler") {
      this.parts.pause();
      this.ruler.put(pixel);
    } else if (pixel && this.wantsArea && !this.#corner) this.#corner = pixel;
    else if (pixel) this.takeArea(this.#corner ? [this.#corner, pixel] : [pixel]);
    this.refresh();
  }

  get wantsArea(): AreaKind | undefined {
    return this.#tools.get(this.tool ?? "")?.area;
  }

  takeArea(corners: readonly Pixel[]): void {
    const { tool, wantsArea } = this;
    // Places without a surface have no pixel: the tool waits for another drag.
    if (corners.length < (wantsArea === "outline" ? 3 : wantsArea ? 2 : 1)) return;
    this.#corner = undefined;
    if (tool !== undefined) this.parts.onPixel(tool, corners);
  }

  /** Another source plays, so the pixel that was pointed at means nothing any more. */
  reset(): void {
    this.#over = undefined;
    this.refresh();
  }

  /** Reads out and measures again, after a frame has come or the pointer has moved. */
  refresh(): void {
    const snapshot = this.parts.snapshot();
    const used = this.#tools.get(this.tool ?? "");
    const hint = this.#missed ? MISS_HINT : this.#corner ? CORNER_HINT : (used?.hint ?? POINT_HINT);
    const { frame = MILLIMETRES, shape = MILLIMETRES } = snapshot ?? {};
    const over = this.#missed ? undefined : this.#over;
    const sample = snapshot && over && sampleAt(snapshot, over.pixel);
    const units = { raw: frame.metresPerUnit, filtered: shape.metresPerUnit };
    const keys = used?.area === "outline" ? "" : "arrow keys and Enter work, too · ";
    const ends = used ? `${keys}Esc ends` : "";
    this.#readout.show(sample, units, hint, ends, this.#missed || over?.by === "keys");
    this.#measured = snapshot && this.ruler.measure(snapshot, this.parts.noise());
    this.#readout.showRuler(this.ruler.ends.length, this.#measured, units.filtered);
    this.#done.hidden = !this.isUsed;
  }

  /** Marks in a picture the ruler, the pixel that is plotted, `shapes`, and the pixel that is pointed at in another picture or by keys. */
  mark(picture: PixelPicture, plotted: Pixel | undefined, shapes: readonly Shape[]): void {
    const snapshot = this.parts.snapshot();
    if (!snapshot) {
      picture.marks.clear();
      return;
    }
    const spotOf = (pixel: Pixel | undefined) => pixel && picture.spotOf(pixel, sampleAt(snapshot, pixel).point);
    const points = this.ruler.pointsIn(snapshot);
    const ends = this.ruler.ends.map((end, i) => picture.spotOf(end, points[i]));
    picture.marks.showRuler(ends, this.rulerText);
    picture.marks.showPlotted(spotOf(this.#corner ?? plotted));
    picture.marks.showShapes(shapes, ({ pixel, point }) => picture.spotOf(pixel, point));
    const over = this.#over;
    const isShown = over && (over.picture !== picture || over.by === "keys");
    picture.marks.showCursor(picture.cursor ?? (isShown ? spotOf(over.pixel) : undefined));
  }

  /** The ruler's length for people; empty without one. */
  get rulerText(): string {
    return this.#measured ? spellReading(this.#measured.length) : "";
  }

  #press(): void {
    for (const [name, { button }] of this.#tools) button.ariaPressed = `${name === this.tool}`;
  }
}
