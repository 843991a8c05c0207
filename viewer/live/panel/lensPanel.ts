import { range, segmented, select } from "../../dom/controls.ts";
import { element, setText } from "../../dom/element.ts";
import {
  type Field,
  FOCAL_LENGTHS,
  FOCUS_DISTANCES,
  fieldOf,
  onSensor,
  SENSORS,
  STOPS,
  spellDistance,
  spellField,
} from "../lens.ts";
import type { ViewSettings } from "../settings.ts";

export interface LensPanelOptions {
  readonly settings: ViewSettings;
  /** The lens or the field of view. */
  readonly onChange: () => void;
  /** `typed`: in one go, not by dragging. */
  readonly onFocus: (distanceM: number, typed: boolean) => void;
}

/** The lens: where it is focused, how wide it is open, how long it is, and on what camera. */
export class LensPanel {
  readonly element: HTMLElement;
  readonly #optics;
  readonly #focus;
  readonly #focalLength;
  readonly #sharp = element("p", "note");
  readonly #seen = element("p", "note");

  constructor(readonly options: LensPanelOptions) {
    const { settings, onFocus, onChange } = options;
    const change = (changes: Partial<ViewSettings>) => {
      Object.assign(settings, changes);
      onChange();
    };
    const optics = { pinhole: "All sharp", lens: "Through the lens" };
    this.#optics = segmented("Optics", optics, settings.lens, (lens) => change({ lens }));
    this.#optics.element.title = "A click on something, or any of these, takes the lens";
    this.#focus = range({
      label: "Focus",
      unit: "m",
      hint: "Distance in focus; or click on something. The bright part is what is sharp",
      ...FOCUS_DISTANCES,
      arrow: [0.01, 0.05],
      logarithmic: true,
      value: 1.5,
      onInput: onFocus,
    });
    const aperture = range({
      label: "Aperture",
      prefix: "f/",
      hint: "Smaller numbers are wider openings: they blur more of what is out of focus",
      min: 0.5,
      max: 64,
      stops: STOPS,
      value: settings.fNumber,
      onInput: (fNumber) => change({ fNumber, lens: "lens" }),
    });
    this.#focalLength = range({
      label: "Focal length",
      unit: "mm",
      hint: "At the same f-number a longer lens has a wider opening, and so blurs more",
      ...FOCAL_LENGTHS,
      logarithmic: true,
      value: settings.focalLengthMm,
      onInput: (focalLengthMm) => change({ focalLengthMm, lens: "lens" }),
    });
    const sensor = select("Sensor", NAMES, settings.sensor, (name) => {
      change({ ...onSensor(settings, name), lens: "lens" });
      this.#focalLength.set(settings.focalLengthMm);
    });
    sensor.element.title =
      "Width and height in mm. Another sensor gets the lens that sees as much on it: shorter on a smaller one";
    const blades = select("Blades", BLADES, `${settings.blades}`, (count) =>
      change({ blades: Number(count), lens: "lens" }),
    );
    blades.element.title = "What is far out of focus takes the shape of the aperture";
    const fields = { sensor: "Depth camera", lens: "Lens" };
    const field = segmented("Field of view", fields, settings.field, (whose) => change({ field: whose }));
    const group = element("div", "group");
    group.append(this.#optics.element, this.#focus.element, this.#sharp, aperture.element, this.#focalLength.element);
    group.append(sensor.element, blades.element, field.element, this.#seen);
    // Folded: the stages are what most have come for.
    this.element = element("details", "fold", {}, element("summary", "", {}, "Lens and focus"), group);
  }

  /** To be called once a picture. `own` is the depth camera's field of view. */
  show(focusM: number, [nearM, farM]: readonly [number, number], own: Field): void {
    const { settings } = this.options;
    this.#optics.set(settings.lens);
    this.#focus.set(focusM);
    this.#focus.mark(nearM, farM);
    const far = spellDistance(farM);
    const sharp = `Sharp from ${spellDistance(nearM)} ${far === "∞" ? "on" : `to ${far}`}`;
    setText(this.#sharp, settings.lens === "lens" ? sharp : "All is sharp: click on something to take the lens");
    const seen = spellField(fieldOf(settings));
    const text =
      settings.field === "lens"
        ? `The picture shows what this lens sees: ${seen}.`
        : `This lens would see ${seen}. The picture keeps the depth camera’s ${spellField(own)}.`;
    setText(this.#seen, text);
  }
}

const BLADES: Readonly<Record<string, string>> = { 0: "Round", 5: "5", 6: "6", 7: "7", 8: "8", 9: "9" };
const entries = Object.entries(SENSORS).map(
  ([name, { label, widthMm, heightMm }]) => [name, `${label}, ${widthMm} × ${heightMm}`] as const,
);
const NAMES = Object.fromEntries(entries) as Record<keyof typeof SENSORS, string>;
