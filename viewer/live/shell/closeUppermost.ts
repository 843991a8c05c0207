import { byId } from "../../dom/controls.ts";
import { closeLastMenu } from "../../dom/menu.ts";

/** Closes the uppermost thing over the picture: an open menu, or else the settings of a small window. Dialogs close themselves. */
export function closeUppermost(): void {
  if (closeLastMenu()) return;
  if (document.body.classList.contains("settings-open")) {
    closeSettings();
    return;
  }
  // Takes the focus out of a field, so that the page's keys work again.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** Closes the settings of a small window, which a button opens. */
export function closeSettings(): void {
  byId("settings").click();
  byId("settings").focus();
}
