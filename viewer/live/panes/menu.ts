import { button, type Control, segmented, toggle } from "../../dom/controls.ts";
import { menu } from "../../dom/menu.ts";
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
  readonly element: HTMLElement;
  readonly #switches = new Map<Switch, Control<boolean>>();
  readonly #layout: Control<ViewSettings["paneLayout"]>;

  constructor(
    readonly settings: Pick<ViewSettings, Switch | "paneLayout">,
    onChange: () => void,
    onRuler: () => void,
  ) {
    for (const [key, label, hint] of SWITCHES) {
      const control = toggle(label, settings[key], (on) => this.#set(key, on, onChange), hint);
      this.#switches.set(key, control);
    }
    this.#layout = segmented("Panes stand", { beside: "Beside 3D", inset: "In 3D" }, settings.paneLayout, (layout) =>
      this.#set("paneLayout", layout, onChange),
    );
    this.element = menu(
      "Panes",
      "panes-menu",
      ...[...this.#switches.values()].map((control) => control.element),
      this.#layout.element,
      button("Measure with the ruler", onRuler, "Two clicks in any pane"),
    );
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
