import { element } from "../../dom/controls.ts";

/** Gives the page's colours to code that draws on a canvas, where the style sheet has no effect. */
export class Theme {
  readonly #colors = new Map<string, string>();
  readonly #sample = element("i", "", { hidden: true });

  /** `onChange` is called when the page changes between light and dark, or gets another style. */
  constructor(parent: HTMLElement, onChange: () => void) {
    parent.append(this.#sample);
    const changed = () => {
      this.#colors.clear();
      onChange();
    };
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", changed);
    new MutationObserver(changed).observe(document.documentElement, { attributes: true });
  }

  /** The present colour of a custom property, such as "--text", resolved for light or dark. */
  color(name: string): string {
    let color = this.#colors.get(name);
    if (color === undefined) {
      this.#sample.style.color = `var(${name})`;
      color = getComputedStyle(this.#sample).color;
      this.#colors.set(name, color);
    }
    return color;
  }
}
