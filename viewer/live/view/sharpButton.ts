import { button } from "../../dom/controls.ts";
import type { ViewStore } from "../state/settings.ts";
import { colourNamed } from "./colours.ts";

/**
 * A button that ends the view through the lens, there while the lens blurs the picture. A click on the picture begins this view, and the
 * switch for it lies in a part of the panel that is folded at first.
 */
export function sharpButton(settings: ViewStore): HTMLButtonElement {
  const lens = settings.control("lens", "view", "color");
  const made = button(
    "All sharp",
    () => lens.update({ lens: "pinhole" }),
    "Ends the view through the lens, which a click began",
  );
  const arrange = () => {
    const { lens: optics, view, color } = lens.now;
    made.hidden = optics !== "lens" || view !== "picture" || colourNamed(color).byLens === true;
  };
  lens.changes$.subscribe(arrange);
  arrange();
  return made;
}
