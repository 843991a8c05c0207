import { csvText } from "../../../core/csv.ts";
import { measuredLines, measuredPage, type Results } from "../../../measure/measuredPage.ts";
import { element } from "../../dom/controls.ts";
import { entry, menu } from "../../dom/menu.ts";
import { download, downloadCsv } from "../../overlay/download.ts";
import { spellKey } from "../control/keys.ts";
import { stemOf } from "../out/fileNames.ts";
import { fieldControl } from "../panel/fieldControl.ts";
import type { Origin } from "../show/shown.ts";
import type { ViewStore } from "../state/settings.ts";
import type { MadePane } from "./paneSet.ts";
import { openField, PANES, paneFields } from "./registry.ts";

type Where = (typeof PANES)[number]["menu"];
type Made = readonly MadePane[];

/** The switches of the panes that a menu has. */
const switches = (store: ViewStore, where: Where) =>
  PANES.filter((pane) => pane.menu === where).map(({ name, key }) => {
    const made = fieldControl(paneFields, openField(name), store.control(openField(name)));
    if (key) made.querySelector(".name")?.after(element("kbd", "", {}, spellKey(key)));
    return made;
  });

const choicesOf = (panes: Made, where: Where) =>
  panes.flatMap(({ entry, pane }) => (entry.menu === where ? (pane.choices ?? []) : []));

/** The menu of tools that measure, of the panes that show what was measured, and of files with all of it. */
export function measureMenu(
  store: ViewStore,
  panes: Made,
  tools: readonly HTMLElement[],
  { origin, ruler }: { readonly origin: () => Origin | undefined; readonly ruler: () => string },
): HTMLElement {
  const results = (): Results => ({
    source: origin()?.source.name ?? "nothing",
    frame: origin()?.frame.index,
    tables: [
      { title: "Ruler", lines: ruler() ? [["Ruler", ruler()]] : [], numbers: [["Ruler", "length", ruler()] as const] },
      ...panes.map(({ entry: { label }, pane: { table } }) => ({
        title: label,
        heads: table?.columns ?? [],
        lines: table?.lines ?? [],
        numbers: table?.numbers ?? [],
      })),
    ].filter(({ lines }) => lines.length > 0),
  });
  const file = (end: string) => `${stemOf(origin()?.source ?? null)}-measured.${end}`;
  return menu(
    "Measure",
    "measure-menu",
    ...tools,
    ...choicesOf(panes, "Measure"),
    ...switches(store, "Measure"),
    entry("Save as a page (HTML)", "All that is measured now, to print or to send", () =>
      download(file("html"), new Blob([measuredPage(results())], { type: "text/html" })),
    ),
    entry("Save as a table (CSV)", "The same, a number a line, for a spreadsheet", () =>
      downloadCsv(file("csv"), csvText(measuredLines(results()))),
    ),
  );
}

/** The menu of scans. */
export const scanMenu = (store: ViewStore, panes: Made): HTMLElement =>
  menu("Scan", "scan-menu", ...choicesOf(panes, "Scan"), ...switches(store, "Scan"));

/** The menu that opens and closes the other panes. */
export function panesMenu(store: ViewStore, more: readonly Node[]): HTMLElement {
  const shown = (["paneReadout", "paneLayout"] as const).map((name) =>
    fieldControl(paneFields, name, store.control(name)),
  );
  return menu("Panes", "panes-menu", ...switches(store, undefined), ...shown, ...more);
}
