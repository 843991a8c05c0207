import { mediaLack, pageFacts } from "../../../sources/index.ts";
import { button, element, setText } from "../../dom/controls.ts";
import { phoneLacks, type Xr } from "./phone.ts";

/** Makes a field for the address of a live stream or of a recording on a server; `onAddress` answers what is wrong with it, or "". */
export function addressField(onAddress: (address: string) => string): HTMLFormElement {
  const field = element("input", "field", {
    type: "url",
    name: "address",
    placeholder: "ws://localhost:8765",
    title:
      "The ws:// address of foxglove_bridge, of “depthloom serve”, or of a sender of raw depth; or the https:// address of a recording",
    autocomplete: "url",
    spellcheck: false,
  });
  const open = element("button", "button", { type: "submit" }, "Open");
  const wrong = element("small", "", { role: "alert" });
  const label = element("label", "", {}, "Live stream or https:// file", field);
  // The page says in words what is wrong, not the browser.
  const form = element("form", "address", { noValidate: true }, label, open, wrong);
  field.addEventListener("input", () => setText(wrong, ""));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setText(wrong, onAddress(field.value.trim()));
  });
  return form;
}

/** A choice of the menu. `find` shows the button that `look` makes, or its words of what is missing. */
function choice(className: string, look: () => Promise<HTMLElement | string>) {
  const place = element("div", className);
  const find = async () => {
    const found = await look();
    place.replaceChildren(typeof found === "string" ? element("small", "", {}, found) : found);
  };
  return { element: place, find };
}

/** Makes the menu's choice of the depth cameras plugged into this computer. */
export const computerChoice = (onChosen: () => void) =>
  choice("computer", async () => {
    const hint = "A RealSense, or another camera whose depth is a video device of 16 bits";
    return mediaLack(pageFacts()) ?? button("Camera on this computer", onChosen, hint);
  });

/** Makes the menu's choice of this phone's depth camera. */
export const phoneChoice = (onPhone: (xr: Xr) => void) =>
  choice("phone", async () => {
    const { xr } = navigator as Navigator & { readonly xr?: Xr };
    const lack = await phoneLacks(xr, isSecureContext);
    return xr && !lack ? button("This phone’s depth camera", () => onPhone(xr), "By WebXR, with ARCore") : (lack ?? "");
  });
