import { button } from "../../dom/controls.ts";
import { menu } from "../../dom/menu.ts";
import { fieldControl } from "../panel/fieldControl.ts";
import type { ValuesOf } from "../state/field.ts";
import type { Settings } from "../state/store.ts";
import { paneFields } from "./settings.ts";

const SHOWN = ["paneDepth", "paneColor", "panePixel", "paneLatency", "paneReadout", "paneLayout"] as const;

/** Where panes are opened and closed. */
export function panesMenu(settings: Settings<ValuesOf<typeof paneFields>>, onRuler: () => void): HTMLElement {
  const controls = SHOWN.map((name) => fieldControl(paneFields, name, settings));
  const ruler = button("Measure with the ruler", onRuler, "Click two points in any picture");
  return menu("Panes", "panes-menu", ...controls, ruler);
}
