import { button, element } from "./controls.ts";

/** Shows `content` in a dialog over the page until it is closed by its button or by Esc. */
export function openSheet(label: string, content: HTMLElement, className = ""): HTMLDialogElement {
  const dialog = element("dialog", `sheet ${className}`.trim(), { ariaLabel: label }, content);
  const close = button("Close", () => dialog.close());
  close.autofocus = true;
  dialog.append(close);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
