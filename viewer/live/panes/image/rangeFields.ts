import { element } from "../../../dom/controls.ts";

/** The accepted distances, mm. */
const LEAST_MM = 10;
const MOST_MM = 100_000;

/** Two fields that show the ends of a range of distances, and take other ends. */
export class RangeFields {
  readonly #near: HTMLInputElement;
  readonly #far: HTMLInputElement;
  readonly near: HTMLElement;
  readonly far: HTMLElement;
  #range: readonly [number, number] = [0, 0];

  constructor(readonly onChange: (nearM: number, farM: number) => void) {
    this.#near = this.#field("Nearest colour, mm");
    this.#far = this.#field("Farthest colour, mm");
    this.near = element("label", "end", {}, this.#near, "mm");
    this.far = element("label", "end", {}, this.#far, "mm");
  }

  /** Shows a range. A field that the user types in stays as it is. */
  show(nearM: number, farM: number): void {
    this.#range = [nearM, farM];
    for (const [field, value] of [
      [this.#near, nearM],
      [this.#far, farM],
    ] as const)
      if (document.activeElement !== field) field.value = spellRange(value);
  }

  #field(label: string): HTMLInputElement {
    const bounds = { min: `${LEAST_MM}`, max: `${MOST_MM}`, step: "any" };
    const field = element("input", "number", { type: "number", ariaLabel: label, ...bounds });
    field.addEventListener("change", () => {
      const [near, far] = [this.#near.valueAsNumber, this.#far.valueAsNumber];
      const can = near >= LEAST_MM && far <= MOST_MM && far > near * 1.01;
      if (can) this.onChange(near / 1000, far / 1000);
      field.blur();
      if (!can) this.show(...this.#range);
    });
    return field;
  }
}

/** Spells a distance in mm, with three digits. */
export const spellRange = (metres: number): string => `${Number((metres * 1000).toPrecision(3))}`;
