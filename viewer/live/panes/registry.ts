import { amount, type Field, type Fields, oneOf, onOff } from "../state/field.ts";
import * as list from "./list.ts";
import type { PaneEntry } from "./pane.ts";

type Entry = (typeof list)[keyof typeof list];
/** The name of a pane. */
export type PaneName = Entry["name"];
/** The name of a picture: the 3D picture, or a pane that can lie beside it. */
export type PictureName = "scene" | Extract<Entry, { place: "beside" }>["name"];
type OpenField<N extends string> = `pane${Capitalize<N>}`;

/** The panes, in the order in which the menu and the page have them. */
export const PANES: readonly PaneEntry<PaneName>[] = Object.values<PaneEntry<PaneName>>(list).toSorted(
  (a, b) => a.order - b.order,
);

/** The name of the setting that opens a pane. */
export const openField = <N extends string>(pane: N): OpenField<N> =>
  `pane${pane.charAt(0).toUpperCase()}${pane.slice(1)}` as OpenField<N>;

const pictures = PANES.filter(({ place }) => place === "beside").map(({ name, label }) => [name, label]);

/** The settings that concern all panes: the readout and the arrangement. */
export const arrangementFields = {
  paneReadout: onOff("Readout", false, "Position and depth under the pointer, in millimetres"),
  paneLarge: oneOf<PictureName>(
    "Large pane",
    "scene",
    { scene: "3D picture", ...Object.fromEntries(pictures) },
    "Which picture is the large one",
  ),
  paneLayout: oneOf(
    "Place of the panes",
    "beside",
    { beside: "Beside the picture", inset: "On the picture" },
    "Whether the other panes lie beside the large one or over it",
  ),
  paneShare: amount(
    "Width of the large pane",
    0,
    { min: 0, max: 0.95 },
    "Its share of the window’s width; 0: as much as its picture needs",
  ),
} satisfies Fields;

type OpenFields = { readonly [N in PaneName as OpenField<N>]: Field<boolean> };
type Together<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer A) => void ? A : never;
type PaneFields = OpenFields & typeof arrangementFields & Together<Entry["fields"]>;

/** The settings of the panes, by their names in addresses and settings files. */
export const paneFields = gatherFields(PANES) as PaneFields;

/** The settings of some panes, and of all panes together. Throws an `Error` that names the setting if two of them have one name. */
export function gatherFields(panes: readonly PaneEntry[]): Fields {
  const all: Record<string, Field> = { ...arrangementFields };
  for (const { name, label, summary, fields } of panes) {
    for (const [key, field] of Object.entries({ [openField(name)]: onOff(label, false, summary), ...fields })) {
      if (Object.hasOwn(all, key))
        throw new Error(`the pane "${name}" has a setting ${key}, and so have the panes before it`);
      all[key] = field;
    }
  }
  return all;
}
