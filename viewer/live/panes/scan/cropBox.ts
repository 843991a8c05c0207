import type { Box } from "../../../../scan/mesh/tidy.ts";
import { element, range } from "../../../dom/controls.ts";

/** The faces of the box as people see them from the first camera, in the order of `Box`. */
const FACES = ["Left", "Top", "Near", "Right", "Bottom", "Far"];

/** Six sliders for the faces of the box to which a model is cropped. While they are folded, nothing is cropped. */
export class CropBox {
  readonly #faces = element("div", "faces");
  readonly element = element("details", "crop", {}, element("summary", "button", {}, "Crop"), this.#faces);
  #box: number[] = [];

  constructor(
    /** The box around the model, where there is one. */
    readonly bounds: () => Box | undefined,
    readonly onChange: () => void,
  ) {
    this.element.addEventListener("toggle", () => {
      if (this.element.open) this.#make();
      onChange();
    });
  }

  /** The box, in the axes of the first camera, m; `undefined` where nothing is cropped. */
  get box(): Box | undefined {
    return this.element.open && this.#box.length === 6 ? (this.#box as unknown as Box) : undefined;
  }

  close(): void {
    this.element.open = false;
  }

  #make(): void {
    this.#box = [...(this.bounds() ?? [])];
    const controls = this.#box.map((value, i) => {
      const [min, max] = [this.#box[i % 3], this.#box[(i % 3) + 3]];
      const onInput = (next: number) => {
        this.#box[i] = next;
        this.onChange();
      };
      return range({ label: FACES[i], unit: "m", min, max, value, onInput }).element;
    });
    const none = element("p", "hint", {}, "Nothing to crop yet");
    this.#faces.replaceChildren(...(controls.length > 0 ? controls : [none]));
  }
}
