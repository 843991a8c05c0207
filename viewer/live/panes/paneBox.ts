import { button } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";

export interface BoxOptions {
  readonly title: string;
  /** Makes it the large one. */
  readonly onLarge?: () => void;
  readonly onClose: () => void;
}

/** A pane's frame: a head with what it is, room for its controls, and a place for its content. */
export class PaneBox {
  readonly element: HTMLElement;
  readonly head = element("header");
  readonly #tools = element("div", "tools");
  #large: HTMLButtonElement | undefined;

  constructor({ title, onLarge, onClose }: BoxOptions, ...content: readonly HTMLElement[]) {
    this.head.append(element("h2", "", {}, title), this.#tools);
    if (onLarge) {
      this.#large = iconButton("enlarge", `Enlarge ${title.toLowerCase()}`, onLarge);
      this.head.append(this.#large);
      this.head.addEventListener("dblclick", (event) => event.target === this.head && onLarge());
    }
    this.head.append(iconButton("close", `Close ${title.toLowerCase()}`, onClose));
    this.element = element("section", "pane", { ariaLabel: title }, this.head, ...content);
  }

  /** Puts controls in the head. */
  tools(...controls: readonly HTMLElement[]): void {
    this.#tools.append(...controls);
  }

  set large(large: boolean) {
    if (this.#large) this.#large.ariaPressed = `${large}`;
  }
}

/** A small button that a picture in the style sheet says. */
export function iconButton(icon: string, label: string, onClick: () => void): HTMLButtonElement {
  const made = button("", onClick, label);
  made.className = `icon ${icon}`;
  made.ariaLabel = label;
  return made;
}
