import { button } from "../../dom/controls.ts";
import type { ViewStore } from "../state/settings.ts";
import { colourNamed } from "./colours.ts";

/**
 * A button that switches the lens blur off, there while the lens blurs the picture. A click on the picture switches the blur on, and the
 * switch for it lies in a part of the panel that is folded at first.
 */
export function sharpButton(settings: ViewStore): HTMLButtonElement {
  const lens = settings.control("lens", "view", "color");
  const made = button("Lens blur off", () => lens.update({ lens: "pinhole" }), "A click on the picture brings it back");
  const arrange = () => {
    const { lens: optics, view, color } = lens.now;
    made.hidden = optics !== "lens" || view !== "picture" || colourNamed(color).byLens === true;
  };
  lens.changes$.subscribe(arrange);
  arrange();
  return made;
}
