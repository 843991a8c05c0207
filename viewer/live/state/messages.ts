import { button } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";

export type MessageKind = "error" | "notice" | "busy";

/** What can be done about it. */
export interface MessageAction {
  readonly label: string;
  readonly run: () => void;
}

/** Lines to the user over the picture. Each stays until it is closed, replaced or, for a notice, read. */
export class Messages {
  readonly #shown = new Map<string, HTMLElement>();

  constructor(readonly root: HTMLElement) {}

  /** Shows a line; one with the same `topic` before it goes. `action` is offered beside it, and the line goes when it is taken. */
  show(kind: MessageKind, topic: string, text: string, forMs?: number, action?: MessageAction): void {
    this.clear(topic);
    const close = button("×", () => this.clear(topic), "Close");
    close.ariaLabel = "Close";
    const line = element(
      "div",
      `message ${kind}`,
      { role: kind === "error" ? "alert" : "status" },
      element("p", "", {}, text),
    );
    const act = () => {
      this.clear(topic);
      action?.run();
    };
    if (action) line.append(button(action.label, act));
    if (kind !== "busy") line.append(close);
    line.dataset.kind = kind;
    this.#shown.set(topic, line);
    this.root.append(line);
    if (forMs !== undefined) setTimeout(() => this.#shown.get(topic) === line && this.clear(topic), forMs);
  }

  clear(topic: string): void {
    this.#shown.get(topic)?.remove();
    this.#shown.delete(topic);
  }
}
