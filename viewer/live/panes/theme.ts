/** The page's colours for what is drawn on a canvas, where the style sheet does not reach. */
export class Theme {
  readonly #colors = new Map<string, string>();

  /** `onChange`: light has become dark, or the page has another style. */
  constructor(
    readonly element: HTMLElement,
    onChange: () => void,
  ) {
    const changed = () => {
      this.#colors.clear();
      onChange();
    };
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", changed);
    new MutationObserver(changed).observe(document.documentElement, { attributes: true });
  }

  /** A custom property's value: "--text". */
  color(name: string): string {
    let color = this.#colors.get(name);
    if (color === undefined) {
      color = getComputedStyle(this.element).getPropertyValue(name).trim();
      this.#colors.set(name, color);
    }
    return color;
  }
}
