import { button, type Control, segmented, toggle } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";
import type { ViewSettings } from "../settings.ts";

type Switch = "paneDepth" | "paneColor" | "panePixel" | "paneLatency" | "paneReadout";

const SWITCHES: readonly (readonly [Switch, string, string])[] = [
  ["paneDepth", "Depth image", "In colours, raw and filtered"],
  ["paneColor", "Colour image", "As it lies on the depth"],
  ["panePixel", "Pixel over time", "Raw against filtered"],
  ["paneLatency", "Latency over time", "Stage by stage"],
  ["paneReadout", "Readout", "What is under the pointer, in millimetres"],
];

/** Where panes are opened and closed. */
export class PanesMenu {
  readonly element = element("div", "menu panes-menu");
  readonly #button = button("Panes", () => this.#open(this.#list.hidden === true), "What is beside the 3D picture");
  readonly #list = element("div", "choices", { id: "panes-menu", hidden: true });
  readonly #switches = new Map<Switch, Control<boolean>>();
  readonly #layout: Control<ViewSettings["paneLayout"]>;

  constructor(
    readonly settings: Pick<ViewSettings, Switch | "paneLayout">,
    onChange: () => void,
    onRuler: () => void,
  ) {
    const list = this.#list;
    for (const [key, label, hint] of SWITCHES) {
      const control = toggle(label, settings[key], (on) => this.#set(key, on, onChange), hint);
      this.#switches.set(key, control);
      list.append(control.element);
    }
    this.#layout = segmented("Panes stand", { beside: "Beside 3D", inset: "In 3D" }, settings.paneLayout, (layout) =>
      this.#set("paneLayout", layout, onChange),
    );
    const measure = () => {
      this.#open(false);
      onRuler();
    };
    list.append(this.#layout.element, button("Measure with the ruler", measure, "Two clicks in any pane"));
    this.#button.setAttribute("aria-controls", list.id);
    this.element.append(this.#button, list);
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Node && !this.element.contains(target)) this.#open(false);
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || list.hidden) return;
      this.#open(false);
      this.#button.focus();
      event.stopPropagation();
    });
    this.#open(false);
  }

  #open(open: boolean): void {
    this.#list.hidden = !open;
    this.#button.ariaExpanded = `${open}`;
  }

  #set<K extends Switch | "paneLayout">(key: K, value: ViewSettings[K], onChange: () => void): void {
    Object.assign(this.settings, { [key]: value });
    onChange();
  }

  /** Shows settings that somebody else has changed. */
  refresh(): void {
    for (const [key, control] of this.#switches) control.set(this.settings[key]);
    this.#layout.set(this.settings.paneLayout);
  }
}
