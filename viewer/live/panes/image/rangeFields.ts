import { element } from "../../../dom/controls.ts";

/** The accepted distances, m. */
const [LEAST_M, MOST_M] = [0.01, 100];

/** Two fields that show the ends of a range of distances, and take other ends. */
export class RangeFields {
  readonly #near: HTMLInputElement;
  readonly #far: HTMLInputElement;
  readonly near: HTMLElement;
  readonly far: HTMLElement;
  #range: readonly [number, number] = [0, 0];

  constructor(readonly onChange: (nearM: number, farM: number) => void) {
    this.#near = this.#field("Nearest colour, metres");
    this.#far = this.#field("Farthest colour, metres");
    this.near = element("label", "end", {}, this.#near, "m");
    this.far = element("label", "end", {}, this.#far, "m");
  }

  /** Shows a range. A field that the user types in stays as it is. */
  show(nearM: number, farM: number): void {
    this.#range = [nearM, farM];
    for (const [field, value] of [
      [this.#near, nearM],
      [this.#far, farM],
    ] as const)
      if (document.activeElement !== field) field.value = spell(value);
  }

  #field(label: string): HTMLInputElement {
    const bounds = { min: `${LEAST_M}`, max: `${MOST_M}`, step: "any" };
    const field = element("input", "number", { type: "number", ariaLabel: label, ...bounds });
    field.addEventListener("change", () => {
      const [near, far] = [this.#near.valueAsNumber, this.#far.valueAsNumber];
      const can = near >= LEAST_M && far <= MOST_M && far > near * 1.01;
      if (can) this.onChange(near, far);
      field.blur();
      if (!can) this.show(...this.#range);
    });
    return field;
  }
}

/** Spells a number with three digits. */
const spell = (metres: number) => `${Number(metres.toPrecision(3))}`;
