import { element, range, setText } from "../../dom/controls.ts";
import { type ViewStore, viewSchema } from "../state/settings.ts";
import {
  type Field,
  FOCUS_DISTANCES,
  fieldOf,
  onSensor,
  STOPS,
  spellDistance,
  spellField,
} from "../view/camera/lens.ts";
import { fieldControl } from "./fieldControl.ts";

export interface LensPanelOptions {
  readonly settings: ViewStore;
  /** `typed`: the user typed a distance, and did not drag the slider. */
  readonly onFocus: (distanceM: number, typed: boolean) => void;
}

/** The controls of the lens: focus, aperture, focal length and sensor. */
export class LensPanel {
  readonly element: HTMLElement;
  readonly #focus;
  readonly #settings;
  readonly #sharp = element("p", "note");
  readonly #seen = element("p", "note");

  constructor({ settings, onFocus }: LensPanelOptions) {
    this.#settings = settings.control("lens", "sensor", "focalLengthMm", "fNumber", "field", "blades");
    const lens = this.#settings;
    // Changing the lens switches to the view through the lens.
    const along = () => ({ lens: "lens" });
    this.#focus = range({
      label: "Focus",
      unit: "m",
      hint: "The distance in focus. A click on the picture sets it, too. The bright part of the slider marks the distances that look sharp",
      ...FOCUS_DISTANCES,
      arrow: [0.01, 0.05],
      logarithmic: true,
      value: 1.5,
      onInput: onFocus,
    });
    const controls = [
      fieldControl(viewSchema, "fNumber", lens, { prefix: "f/", stops: STOPS, along }),
      fieldControl(viewSchema, "focalLengthMm", lens, { unit: "mm", logarithmic: true, along }),
      fieldControl(viewSchema, "sensor", lens, {
        list: true,
        along: (sensor) => ({ ...onSensor(lens.now, sensor), ...along() }),
      }),
      fieldControl(viewSchema, "blades", lens, { list: true, along }),
      fieldControl(viewSchema, "field", lens),
    ];
    const group = element("div", "group", {}, fieldControl(viewSchema, "lens", lens), this.#focus.element, this.#sharp);
    group.append(...controls, this.#seen);
    // The panel is folded at first, since most users need the stages more.
    this.element = element("details", "fold", {}, element("summary", "", {}, "Lens and focus"), group);
  }

  /** Call this once for each picture of the screen. `own` is the depth camera's field of view. */
  show(focusM: number, [nearM, farM]: readonly [number, number], own: Field): void {
    const { now } = this.#settings;
    this.#focus.set(focusM);
    this.#focus.mark(nearM, farM);
    const far = spellDistance(farM);
    const sharp = `Sharp from ${spellDistance(nearM)} ${far === "∞" ? "on" : `to ${far}`}`;
    setText(
      this.#sharp,
      now.lens === "lens" ? sharp : "All is sharp. Click the picture to focus there with lens blur.",
    );
    const seen = spellField(fieldOf(now));
    const text =
      now.field === "lens"
        ? `The picture shows what this lens sees: ${seen}.`
        : `This lens would see ${seen}. The picture keeps the depth camera’s ${spellField(own)}.`;
    setText(this.#seen, text);
  }
}
