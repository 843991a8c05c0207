import { byId } from "../../dom/element.ts";
import { closeLastMenu } from "../../dom/menu.ts";

/** Closes what is open over the picture, the uppermost first: a menu, then the panel of a small window. A dialog does so itself. */
export function closeUppermost(): void {
  if (closeLastMenu()) return;
  if (document.body.classList.contains("settings-open")) {
    closeSettings();
    return;
  }
  // Out of a field, back to the keys of the page.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** Of a small window, where they are opened by a button. */
export function closeSettings(): void {
  byId("settings").click();
  byId("settings").focus();
}
