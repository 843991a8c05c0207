import { button } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";
import { phoneLacks, type Xr } from "./phone.ts";

/** Makes the menu's choice of this phone's depth camera. `find` checks whether there is one, and shows what is missing otherwise. */
export function phoneChoice(onPhone: (xr: Xr) => void) {
  const place = element("div", "phone");
  const find = async () => {
    const { xr } = navigator as Navigator & { readonly xr?: Xr };
    const lack = await phoneLacks(xr, isSecureContext);
    const choice =
      xr && !lack ? button("This phone’s depth camera", () => onPhone(xr), "By WebXR, with ARCore") : undefined;
    place.replaceChildren(choice ?? element("small", "", {}, lack ?? ""));
  };
  return { element: place, find };
}
