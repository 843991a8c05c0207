import { button, type Control, range, segmented, toggle } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";
import type { ViewSettings } from "../settings.ts";
import { LensPanel } from "./lensPanel.ts";

export interface ViewPanelOptions {
  readonly settings: ViewSettings;
  readonly onChange: (changed: keyof ViewSettings) => void;
  /** `typed`: in one go, not by dragging. */
  readonly onFocus: (distanceM: number, typed: boolean) => void;
  readonly onReset: () => void;
  readonly onCompare: (on: boolean) => void;
}

/** How the scene is looked at: view, colour, lens, guides. */
export class ViewPanel {
  readonly element = element("section", "view");
  readonly lens: LensPanel;
  readonly #view: Control<ViewSettings["view"]>;
  readonly #color: Control<ViewSettings["color"]>;
  readonly #split: Control<boolean>;
  readonly #detail: HTMLElement;
  readonly #points: HTMLElement;

  constructor(readonly options: ViewPanelOptions) {
    const { settings, onFocus } = options;
    const change = <K extends keyof ViewSettings>(key: K, value: ViewSettings[K]) => {
      settings[key] = value;
      this.refresh();
      options.onChange(key);
    };
    this.#view = segmented("View", { picture: "Depth of field", points: "Points" }, settings.view, (view) =>
      change("view", view),
    );
    this.#color = segmented("Colour by", COLORS, settings.color, (by) => {
      // Without a lens there is no blur to be seen.
      if (by === "blur") settings.lens = "lens";
      change("color", by);
    });
    const color = this.#color;
    color.element.classList.add("many");
    color.element.title =
      "Lit: in a raking light, which shows noise and relief. Difference: what the filters changed. Blur: how far the lens spreads each place";
    this.lens = new LensPanel({
      settings,
      onFocus,
      onChange: () => options.onChange("fNumber"),
    });
    const size = range({
      label: "Point size",
      unit: "×",
      hint: "1 closes surfaces that are seen as the sensor saw them, from any distance",
      min: 0.1,
      max: 10,
      logarithmic: true,
      value: settings.pointSize,
      onInput: (size) => change("pointSize", size),
    });
    const details = { "1": "Full", "0.5": "Half", "0.25": "Quarter" };
    const detail = segmented("Resolution", details, `${settings.detail}` as keyof typeof details, (share) =>
      change("detail", Number(share)),
    );
    this.#detail = detail.element;
    this.#points = element("div", "group", {}, size.element);
    this.#split = toggle(
      "Raw beside filtered",
      settings.split,
      (on) => change("split", on),
      "On the left of a divider (V)",
    );
    const guides = element("div", "group", {}, this.#split.element);
    for (const [key, label, hint] of GUIDES) {
      guides.append(toggle(label, settings[key], (on) => change(key, on), hint).element);
    }
    const buttons = element("div", "buttons", {}, button("Reset view", options.onReset, "R"), this.#compareButton());
    const lens = this.lens.element;
    this.element.append(this.#view.element, color.element, lens, this.#detail, this.#points, guides, buttons);
    this.refresh();
  }

  /** Shows settings that somebody else has changed. */
  refresh(): void {
    const { view, color, split } = this.options.settings;
    this.#view.set(view);
    this.#color.set(color);
    this.#split.set(split);
    this.lens.element.hidden = view !== "picture" && color !== "blur";
    this.#detail.hidden = view !== "picture";
    this.#points.hidden = view !== "points";
  }

  /** On while it is held down, with a finger too; a key turns it on, and off again. */
  #compareButton(): HTMLButtonElement {
    let on = false;
    const set = (next: boolean) => {
      if (next === on) return;
      on = next;
      made.ariaPressed = `${on}`;
      this.options.onCompare(on);
    };
    // A click that no pointer has made comes from a key.
    const made = button("Compare", () => {}, "Filters off while held (B)");
    made.ariaPressed = "false";
    made.addEventListener("click", ({ detail }) => detail === 0 && set(!on));
    made.addEventListener("pointerdown", () => set(true));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) made.addEventListener(end, () => set(false));
    return made;
  }
}

const COLORS = {
  lit: "Lit",
  camera: "Colour",
  depth: "Depth",
  normal: "Normals",
  difference: "Difference",
  blur: "Blur",
} as const;

const GUIDES = [
  [
    "governor",
    "Keep up",
    "While frames take longer than 33 ms, the picture gives up resolution, and without a GPU points",
  ],
  ["holdRange", "Hold depth’s range", "The colours of distances stay as they are; else they follow what is seen"],
  ["frustum", "Sensor's view", "Outlines what the sensor sees, where you have left its place"],
  ["floor", "Floor grid", "Half a metre a square"],
  ["veil", "Focus plane", "While you focus, what is behind the plane of focus dims"],
] as const;
