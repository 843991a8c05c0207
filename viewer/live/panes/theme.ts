import { element } from "../../dom/element.ts";

/** The page's colours for what is drawn on a canvas, where the style sheet does not reach. */
export class Theme {
  readonly #colors = new Map<string, string>();
  readonly #sample = element("i", "", { hidden: true });

  /** `onChange`: light has become dark, or the page has another style. */
  constructor(parent: HTMLElement, onChange: () => void) {
    parent.append(this.#sample);
    const changed = () => {
      this.#colors.clear();
      onChange();
    };
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", changed);
    new MutationObserver(changed).observe(document.documentElement, { attributes: true });
  }

  /** A custom property's colour as it is here, now: "--text". What it says may depend on light and dark. */
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
