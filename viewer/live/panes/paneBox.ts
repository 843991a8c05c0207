import { button, element } from "../../dom/controls.ts";

export interface BoxOptions {
  readonly title: string;
  /** Makes the pane the large one, or the 3D picture if the pane was large. */
  readonly onLarge?: () => void;
  readonly onClose: () => void;
}

/** The frame of a pane: a head with title, controls and buttons, and the pane's content. */
export class PaneBox {
  readonly element: HTMLElement;
  readonly head = element("header");
  /** Stand in the head where it is wide; else in a small window of their own, which a button opens. */
  readonly #tools = element("div", "tools", { popover: "auto" });
  readonly #more = iconButton("more", "Tools", () => {});
  #large: HTMLButtonElement | undefined;

  constructor({ title, onLarge, onClose }: BoxOptions, ...content: readonly HTMLElement[]) {
    this.#more.ariaLabel = `Tools of ${title.toLowerCase()}`;
    this.#more.hidden = true;
    this.#more.popoverTargetElement = this.#tools;
    this.head.append(element("h2", "", {}, title), this.#tools, this.#more);
    this.#tools.addEventListener("toggle", () => this.#place());
    if (onLarge) {
      this.#large = iconButton("enlarge", `Enlarge ${title.toLowerCase()}`, onLarge);
      this.head.append(this.#large);
      this.head.addEventListener("dblclick", (event) => event.target === this.head && onLarge());
    }
    this.head.append(iconButton("close", `Close ${title.toLowerCase()}`, onClose));
    this.element = element("section", "pane", { ariaLabel: title }, this.head, ...content);
  }

  /** Puts controls into the head. */
  tools(...controls: readonly HTMLElement[]): void {
    this.#tools.append(...controls);
    this.#more.hidden = this.#tools.childElementCount === 0;
  }

  /** Puts the open window of tools below its button. */
  #place(): void {
    const { bottom, right } = this.#more.getBoundingClientRect();
    this.#tools.style.top = `${bottom + 4}px`;
    this.#tools.style.right = `${document.documentElement.clientWidth - right}px`;
  }

  set large(large: boolean) {
    if (this.#large) this.#large.ariaPressed = `${large}`;
  }
}

/** Makes a small button with an icon from the style sheet. */
export function iconButton(icon: string, label: string, onClick: () => void): HTMLButtonElement {
  const made = button("", onClick, label);
  made.className = `icon ${icon}`;
  made.ariaLabel = label;
  return made;
}
