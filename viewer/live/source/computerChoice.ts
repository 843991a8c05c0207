import { mediaLack, pageFacts } from "../../../sources/index.ts";
import { button } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";

/**
 * Makes the menu's choice of the depth cameras plugged into this computer. `find` checks whether the page can use them, and says what is
 * missing otherwise.
 */
export function computerChoice(onChosen: () => void) {
  const place = element("div", "computer");
  const find = () => {
    const lack = mediaLack(pageFacts());
    const hint = "A RealSense, or another camera whose depth is a video device of 16 bits";
    place.replaceChildren(
      lack === undefined ? button("Camera on this computer", onChosen, hint) : element("small", "", {}, lack),
    );
  };
  return { element: place, find };
}
