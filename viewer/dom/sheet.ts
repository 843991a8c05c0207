import { button } from "./controls.ts";
import { element } from "./element.ts";

/** Shows something over the page until it is closed, by its button or by Esc. */
export function openSheet(label: string, content: HTMLElement, className = ""): HTMLDialogElement {
  const dialog = element("dialog", `sheet ${className}`.trim(), { ariaLabel: label }, content);
  const close = button("Close", () => dialog.close());
  close.autofocus = true;
  dialog.append(close);
  dialog.addEventListener("close", () => dialog.remove());
  if (content instanceof HTMLIFrameElement) closeFrom(content, dialog);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Keys that are pressed inside a page within the page do not come out of it. */
function closeFrom(frame: HTMLIFrameElement, dialog: HTMLDialogElement): void {
  frame.addEventListener("load", () =>
    frame.contentDocument?.addEventListener("keydown", ({ key }) => key === "Escape" && dialog.close()),
  );
}
