import type { MeshFormat } from "../../../../scan/mesh/files.ts";
import { button, element, range, toggle } from "../../../dom/controls.ts";
import { openSheet } from "../../../dom/sheet.ts";

/** The choices of the sheet, kept from one opening to the next. */
export interface Wanted {
  /** Whether the largest piece alone is kept. */
  isLargest: boolean;
  /** The most triangles. */
  triangles: number;
}

const FORMATS: Readonly<Record<MeshFormat, string>> = {
  glb: "GLB: for Blender, game engines and web pages; with colour, y up",
  ply: "PLY: for CloudCompare and MeshLab; with colour, in the first camera’s axes",
  stl: "STL: for 3D printers; no colour, z up",
  obj: "OBJ: for everything else; with colour, y up",
};

/** Asks in which format, and how large, the model is saved. */
export function openSaveSheet(wanted: Wanted, onSave: (format: MeshFormat) => void): void {
  const most = range({
    label: "At most",
    unit: "triangles",
    min: 1000,
    max: 5_000_000,
    logarithmic: true,
    value: wanted.triangles,
    onInput(value) {
      wanted.triangles = Math.round(value);
    },
  });
  const largest = toggle("Only the largest piece", wanted.isLargest, (on) => {
    wanted.isLargest = on;
  });
  const formats = Object.entries(FORMATS).map(([format, hint]) => {
    const [name, use] = hint.split(": ");
    const save = button(`Save as ${name}`, () => {
      sheet.close();
      onSave(format as MeshFormat);
    });
    return element("div", "format", {}, save, element("small", "", {}, use));
  });
  const content = element("div", "save-model", {}, element("h2", "", {}, "Save model"), most.element, largest.element);
  content.append(...formats, element("p", "hint", {}, "All are in metres. “Crop” in the pane keeps a box of it."));
  const sheet = openSheet("Save model", content, "saving");
}
