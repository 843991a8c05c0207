import { button } from "../../dom/controls.ts";
import { menu } from "../../dom/menu.ts";
import { fieldControl } from "../panel/fieldControl.ts";
import type { ViewStore } from "../state/settings.ts";
import { openField, PANES, paneFields } from "./registry.ts";

/** The menu that opens and closes panes. */
export function panesMenu(store: ViewStore, onRuler: () => void, more: readonly Node[]): HTMLElement {
  const shown = [...PANES.map(({ name }) => openField(name)), "paneReadout", "paneLayout"] as const;
  const controls = shown.map((name) => fieldControl(paneFields, name, store.control(name)));
  const ruler = button("Measure with the ruler", onRuler, "Click two points in any picture");
  return menu("Panes", "panes-menu", ...controls, ruler, ...more);
}
