import { button, type Control, range, segmented, toggle } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";
import type { ViewSettings } from "../settings.ts";

export interface ViewPanelOptions {
  readonly settings: ViewSettings;
  readonly onChange: (changed: keyof ViewSettings) => void;
  readonly onFocus: (distanceM: number) => void;
  readonly onReset: () => void;
  readonly onCompare: (on: boolean) => void;
}

/** How the scene is looked at: view, colour, lens, guides. */
export class ViewPanel {
  readonly element = element("section", "view");
  readonly #focus: Control<number>;
  readonly #view: Control<ViewSettings["view"]>;
  readonly #lens: HTMLElement;
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
    const colors = { camera: "Colour", depth: "Depth", normal: "Normals" };
    const color = segmented("Colour by", colors, settings.color, (by) => change("color", by));
    this.#focus = range({
      label: "Focus",
      unit: "m",
      hint: "Distance in focus; or click on something",
      min: 0.2,
      max: 10,
      logarithmic: true,
      value: 1.5,
      onInput: onFocus,
    });
    const aperture = range({
      label: "Aperture f/",
      hint: "Smaller numbers blur more of what is out of focus",
      min: 0.5,
      max: 32,
      logarithmic: true,
      value: settings.fNumber,
      onInput: (f) => change("fNumber", f),
    });
    const size = range({
      label: "Point size",
      unit: "px",
      min: 1,
      max: 8,
      step: 1,
      value: settings.pointPx,
      onInput: (px) => change("pointPx", px),
    });
    const details = { "1": "Full", "0.5": "Half", "0.25": "Quarter" };
    const detail = segmented("Resolution", details, `${settings.detail}` as keyof typeof details, (share) =>
      change("detail", Number(share)),
    );
    this.#lens = element("div", "group", { ariaLabel: "Lens" }, this.#focus.element, aperture.element, detail.element);
    this.#points = element("div", "group", {}, size.element);
    const guides = element("div", "group");
    for (const [key, label] of GUIDES) {
      guides.append(toggle(label, settings[key], (on) => change(key, on)).element);
    }
    const buttons = element("div", "buttons", {}, button("Reset view", options.onReset, "R"), this.#compareButton());
    this.element.append(this.#view.element, color.element, this.#lens, this.#points, guides, buttons);
    this.refresh();
  }

  /** Shows settings that somebody else has changed. */
  refresh(): void {
    const { view } = this.options.settings;
    this.#view.set(view);
    this.#lens.hidden = view !== "picture";
    this.#points.hidden = view !== "points";
  }

  showFocus(distanceM: number): void {
    this.#focus.set(distanceM);
  }

  /** Held down, with a finger too. */
  #compareButton(): HTMLButtonElement {
    const made = button("Compare", () => {}, "Filters off while held (B)");
    const { onCompare } = this.options;
    made.addEventListener("pointerdown", () => onCompare(true));
    for (const end of ["pointerup", "pointercancel", "pointerleave"])
      made.addEventListener(end, () => onCompare(false));
    return made;
  }
}

const GUIDES = [
  ["frustum", "Sensor's view"],
  ["floor", "Floor grid"],
  ["veil", "Focus plane"],
] as const;
