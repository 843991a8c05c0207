import { button, element } from "../../dom/controls.ts";

export type MessageKind = "error" | "notice" | "busy";

/** A button beside a message. */
export interface MessageAction {
  readonly label: string;
  readonly run: () => void;
}

/**
 * Shows messages to the user over the picture. Each message stays until somebody closes it, another one replaces it, or its time is over.
 */
export class Messages {
  readonly #shown = new Map<string, HTMLElement>();

  constructor(readonly root: HTMLElement) {}

  /** Shows a message in place of an earlier one with its `topic`; an error also drops the offered photo. `action`: a button that closes. */
  show(kind: MessageKind, topic: string, text: string, forMs?: number, action?: MessageAction): void {
    for (const old of kind === "error" ? [topic, "photo"] : [topic]) this.clear(old);
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
    // An offer goes by itself.
    if (kind !== "busy" && !(action && forMs)) line.append(close);
    line.dataset.kind = kind;
    this.#shown.set(topic, line);
    this.root.append(line);
    if (forMs !== undefined) setTimeout(() => this.#shown.get(topic) === line && this.clear(topic), forMs);
  }

  /** Removes the errors: they tell of something that has ended. */
  clearErrors(): void {
    for (const [topic, { dataset }] of this.#shown) if (dataset.kind === "error") this.clear(topic);
  }

  clear(topic: string): void {
    this.#shown.get(topic)?.remove();
    this.#shown.delete(topic);
  }
}
