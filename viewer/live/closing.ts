import { byId } from "../dom/element.ts";

/** Closes what is open over the picture, the uppermost first: a menu, then the panel of a small window. A dialog does so itself. */
export function closeUppermost(): void {
  const menus = [...document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")];
  const menu = menus.at(-1);
  if (menu) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
    return;
  }
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
