import { button, element } from "./controls.ts";

/** Shows `content` in a dialog over the page until it is closed by its button or by Esc. */
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

/** Lets Esc close the dialog when the focus is inside an iframe, whose key events do not reach the page. */
function closeFrom(frame: HTMLIFrameElement, dialog: HTMLDialogElement): void {
  frame.addEventListener("load", () =>
    frame.contentDocument?.addEventListener("keydown", ({ key }) => key === "Escape" && dialog.close()),
  );
}
