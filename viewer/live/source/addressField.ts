import { element } from "../../dom/element.ts";

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
  const form = element(
    "form",
    "address",
    {},
    element("label", "", {}, "Live stream or https:// file", field),
    element("button", "button", { type: "submit" }, "Open"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onAddress(field.value.trim());
  });
  return form;
}
