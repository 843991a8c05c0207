import { range, segmented, select } from "../../dom/controls.ts";
import { element, setText } from "../../dom/element.ts";
import { type Field, FOCAL_LENGTHS, fieldOf, onSensor, SENSORS, STOPS, spellDistance, spellField } from "../lens.ts";
import type { ViewSettings } from "../settings.ts";

const FOCUS = { min: 0.2, max: 20 };

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
    this.#focus = range({
      label: "Focus",
      unit: "m",
      hint: "Distance in focus; or click on something. The bright part is what is sharp",
      ...FOCUS,
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
      onInput: (fNumber) => change({ fNumber }),
    });
    this.#focalLength = range({
      label: "Focal length",
      unit: "mm",
      hint: "At the same f-number a longer lens has a wider opening, and so blurs more",
      ...FOCAL_LENGTHS,
      logarithmic: true,
      value: settings.focalLengthMm,
      onInput: (focalLengthMm) => change({ focalLengthMm }),
    });
    const sensor = select("Sensor", NAMES, settings.sensor, (name) => {
      change(onSensor(settings, name));
      this.#focalLength.set(settings.focalLengthMm);
    });
    sensor.element.title =
      "Width and height in mm. Another sensor gets the lens that sees as much on it: shorter on a smaller one";
    const blades = select("Blades", BLADES, `${settings.blades}`, (count) => change({ blades: Number(count) }));
    blades.element.title = "What is far out of focus takes the shape of the aperture";
    const fields = { sensor: "Depth camera", lens: "Lens" };
    const field = segmented("Field of view", fields, settings.field, (whose) => change({ field: whose }));
    const group = element("div", "group");
    group.append(this.#focus.element, this.#sharp, aperture.element, this.#focalLength.element, sensor.element);
    group.append(blades.element, field.element, this.#seen);
    // Folded: the stages are what most have come for.
    this.element = element("details", "fold", {}, element("summary", "", {}, "Lens"), group);
  }

  /** To be called once a picture. `own` is the depth camera's field of view. */
  show(focusM: number, [nearM, farM]: readonly [number, number], own: Field): void {
    this.#focus.set(focusM);
    this.#focus.mark(nearM, farM);
    const far = spellDistance(farM);
    setText(this.#sharp, `Sharp from ${spellDistance(nearM)} ${far === "∞" ? "on" : `to ${far}`}`);
    const { settings } = this.options;
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
