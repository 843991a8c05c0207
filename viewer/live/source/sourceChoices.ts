import { mediaLack, pageFacts } from "../../../sources/index.ts";
import { button, element } from "../../dom/controls.ts";
import { phoneLacks, type Xr } from "./phone.ts";

/** Makes a field for the address of a live stream or of a recording on a server. Enter, or the button, opens it. */
export function addressField(onAddress: (address: string) => void): HTMLFormElement {
  const field = element("input", "field", {
    type: "url",
    name: "address",
    required: true,
    pattern: "(wss?|https)://.+",
    placeholder: "ws://localhost:8765",
    title:
      "The ws:// address of foxglove_bridge, of “depthloom serve”, or of a sender of raw depth; or the https:// address of a recording",
    autocomplete: "url",
    spellcheck: false,
  });
  const open = element("button", "button", { type: "submit" }, "Open");
  const form = element("form", "address", {}, element("label", "", {}, "Live stream or https:// file", field), open);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onAddress(field.value.trim());
  });
  return form;
}

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
