import { button, element } from "../../dom/controls.ts";
import { type ViewSettings, type ViewStore, viewSchema } from "../state/settings.ts";
import { colourNamed } from "../view/colours.ts";
import { fieldControl } from "./fieldControl.ts";
import { LensPanel } from "./lensPanel.ts";

export interface ViewPanelOptions {
  readonly settings: ViewStore;
  /** `typed`: the user typed a distance, and did not drag the slider. */
  readonly onFocus: (distanceM: number, typed: boolean) => void;
  readonly onReset: () => void;
  /** Whether raw depth is shown alone, and switches that. */
  readonly comparing: () => boolean;
  readonly onCompare: (on: boolean) => void;
  /** The cards of the stages that show depth in another way. */
  readonly cards: HTMLElement;
  /** The cards of the stages that draw. */
  readonly drawing: HTMLElement;
}

const GUIDES = ["governor", "fillPx", "holdRange", "frustum", "path", "floor", "veil"] as const;

/** The controls of the view: points or picture, colours, lens, guides. */
export class ViewPanel {
  readonly element = element("section", "view");
  readonly lens: LensPanel;
  readonly #detail: HTMLElement;
  readonly #points: HTMLElement;
  readonly #compare: HTMLButtonElement;
  readonly #settings;
  /** Whether all was sharp before the colours showed the lens's blur. */
  #wasSharp = false;

  constructor(readonly options: ViewPanelOptions) {
    const { settings, onFocus, onReset, cards, drawing } = options;
    this.#settings = settings.control("view", "color");
    this.lens = new LensPanel({ settings, onFocus });
    const along = (by: ViewSettings["color"]) => this.#lensAlong(by);
    const color = fieldControl(viewSchema, "color", settings.control("color"), { along });
    color.classList.add("many");
    const size = fieldControl(viewSchema, "pointSize", settings.control("pointSize"), { unit: "×", logarithmic: true });
    this.#detail = fieldControl(viewSchema, "detail", settings.control("detail"));
    this.#points = element("div", "group", {}, size);
    const guides = element("div", "group", {}, cards);
    for (const name of GUIDES)
      guides.append(fieldControl(viewSchema, name, settings.control(name), name === "fillPx" ? { unit: "px" } : {}));
    this.#compare = this.#compareButton();
    const reset = button("Reset view", onReset, "Back to the sensor’s viewpoint (R)");
    const buttons = element("div", "buttons", {}, reset, this.#compare);
    const view = fieldControl(viewSchema, "view", settings.control("view"));
    const more = element("summary", "", {}, "More of the view");
    const group = element("div", "group", {}, this.#detail, guides, buttons, drawing);
    const fold = element("details", "fold", {}, more, group);
    this.element.append(view, color, this.lens.element, this.#points, fold);
    this.#settings.changes$.subscribe(() => this.#arrange());
    this.#arrange();
  }

  /** Shows whether raw depth is shown alone: a key, or a change of the filters, may have ended it. */
  refresh(): void {
    this.#compare.ariaPressed = `${this.options.comparing()}`;
  }

  /** Shows only the controls that have an effect on the present view. */
  #arrange(): void {
    const { view, color } = this.#settings.now;
    const { byLens = false, compares = false } = colourNamed(color);
    this.lens.element.hidden = view !== "picture" && !byLens;
    this.#detail.hidden = view !== "picture";
    this.#points.hidden = view !== "points";
    this.options.cards.hidden = compares;
  }

  /** Without a lens there is no blur to colour by. Other colours after these give back the sharp picture that was there before. */
  #lensAlong(by: ViewSettings["color"]): Partial<ViewSettings> {
    const { color, lens } = this.options.settings.now;
    const was = colourNamed(color).byLens === true;
    if (!colourNamed(by).byLens) return was && this.#wasSharp ? { lens: "pinhole" } : {};
    if (!was) this.#wasSharp = lens === "pinhole";
    return { lens: "lens" };
  }

  /** The button is on while the pointer holds it; a key switches it on and off. */
  #compareButton(): HTMLButtonElement {
    const { comparing, onCompare } = this.options;
    let held = false;
    const hold = (on: boolean) => {
      if (on !== held) onCompare(on);
      held = on;
    };
    // A click with a `detail` of 0 comes from a key.
    const made = button("Hold to see raw", () => {}, "Shows the picture without filters while the button is held (B)");
    made.ariaPressed = "false";
    made.addEventListener("click", ({ detail }) => detail === 0 && onCompare(!comparing()));
    made.addEventListener("pointerdown", () => hold(true));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) made.addEventListener(end, () => hold(false));
    return made;
  }
}
