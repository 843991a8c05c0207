import { button, element } from "./controls.ts";

/**
 * A button that opens a menu below it. A click on one of the menu's buttons or elsewhere closes it, and so does Esc (`closeLastMenu`);
 * switches, fields and buttons of the class "stays" leave it open.
 */
export function menu(label: string, className: string, ...choices: readonly Node[]): HTMLDetailsElement {
  const list = element("div", "choices", {}, ...choices);
  const made = element("details", `menu ${className}`.trim(), {}, element("summary", "button", {}, label), list);
  list.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("button[type=button]:not(.stays)")) made.open = false;
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !made.contains(target)) made.open = false;
  });
  return made;
}

/** A button of a menu, with its key and a line that says what it does. */
export function entry(label: string, summary: string, does: () => void, hint = "", key = ""): HTMLButtonElement {
  const made = button(label, does, hint);
  if (key) made.append(element("kbd", "", {}, key));
  made.append(element("small", "", {}, summary));
  return made;
}

/** Closes the last open menu of the page and focuses its button. Returns whether one was open. */
export function closeLastMenu(): boolean {
  const last = [...document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")].at(-1);
  if (!last) return false;
  last.open = false;
  last.querySelector("summary")?.focus();
  return true;
}
