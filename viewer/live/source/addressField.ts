import { element } from "../../dom/element.ts";

/** Makes a field for the address of a live stream. Enter, or the button, connects. */
export function addressField(onAddress: (address: string) => void): HTMLFormElement {
  const field = element("input", "field", {
    type: "url",
    name: "address",
    required: true,
    pattern: "wss?://.+",
    placeholder: "ws://localhost:8765",
    title: "The ws:// address of foxglove_bridge, of “depthloom serve”, or of a sender of raw depth",
    autocomplete: "url",
    spellcheck: false,
  });
  const form = element(
    "form",
    "address",
    {},
    element("label", "", {}, "Live stream", field),
    element("button", "button", { type: "submit" }, "Connect"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onAddress(field.value.trim());
  });
  return form;
}
