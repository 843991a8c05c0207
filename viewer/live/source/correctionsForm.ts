import { type DepthFrame, type Fact, isLive, type Source } from "../../../sources/index.ts";
import { button } from "../../dom/controls.ts";
import { element } from "../../dom/element.ts";
import { type Assumable, assumedFacts, type Corrections, LIMITS } from "./corrections.ts";

type Field = keyof typeof LIMITS;

const FIELDS: readonly (readonly [field: Field, what: Assumable, label: string, hint: string])[] = [
  ["metresPerUnit", "unit", "Metres in a unit", "0.001 for millimetres, 0.0002 for TUM’s 1/5000 m"],
  ["fps", "fps", "Frames per second", "Where the recording has no times of its own"],
  ["fx", "intrinsics", "fx, px", "Focal length across, in pixels of the depth image"],
  ["fy", "intrinsics", "fy, px", "Focal length down, in pixels of the depth image"],
  ["cx", "intrinsics", "cx, px", "Where the optical axis meets the image, from the left"],
  ["cy", "intrinsics", "cy, px", "Where the optical axis meets the image, from above"],
];

/** A short text for each kind of fact: "unit 1 mm", "30 fps", "lens 58°". */
const BRIEF: Readonly<Record<Assumable, (value: string) => string>> = {
  unit: (value) => `unit ${value}`,
  intrinsics: (value) => `lens ${value.replace(/ horizontal field of view.*$| at 640.*$/, "")}`,
  fps: (value) => `${value} fps`,
};

const unsaidBy = (what: "recording" | "stream") =>
  `The ${what} does not say this. This browser keeps what you enter for this ${what}.`;
const OF_A_CAMERA =
  "Browsers do not hand on a camera’s calibration. This browser keeps what you enter for this camera.";

/** Lists, under a recording's name, the facts that were assumed or corrected. Opened, it has fields to correct them. */
export class CorrectionsForm {
  readonly element = element("div", "assumed", { hidden: true });
  readonly #form = element("form", "", { hidden: true });
  readonly #summary = button("", () => this.#open(this.#form.hidden === true));

  constructor(
    /** Opens the same recording with these corrections and stores them; `undefined` removes the corrections. */
    readonly onApply: (corrections: Corrections | undefined) => void,
  ) {
    this.element.append(this.#summary, this.#form);
    this.#summary.ariaExpanded = "false";
    this.#summary.title = "Shows these values, so that you can correct them";
    this.#form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.#open(false);
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#open(false);
      onApply(this.#read());
    });
  }

  /** Shows the facts of the recording that plays; `corrections` are those that the user made before. */
  show(source: Source, { metresPerUnit, intrinsics }: DepthFrame, corrections: Corrections | undefined): void {
    const assumed = assumedFacts(source);
    const put = Object.keys(corrections ?? {}).map((key) => (key === "metresPerUnit" ? "unit" : key));
    this.element.hidden = assumed.length === 0 && put.length === 0;
    if (this.element.hidden) return;
    const unsaid = (what: string) => assumed.some((fact) => fact.what === what) || put.includes(what);
    this.#summary.textContent = assumed.length > 0 ? `Assumed: ${spell(assumed)}` : "Corrected by you";
    const values = { metresPerUnit, fps: source.fps, ...intrinsics };
    const fields = FIELDS.filter(([, what]) => unsaid(what)).map(([field, , label, hint]) => {
      const [min, max] = LIMITS[field];
      const input = element("input", "field", {
        name: field,
        type: "number",
        required: true,
        title: hint,
        step: "any",
      });
      Object.assign(input, { min: `${min}`, max: `${max}`, value: `${Number(values[field].toPrecision(7))}` });
      return element("label", "", {}, label, input);
    });
    const buttons = element("div", "buttons", {}, element("button", "button", { type: "submit" }, "Apply"));
    if (put.length > 0) {
      buttons.append(button("Forget", () => this.onApply(undefined), "Goes back to the values that were assumed"));
    }
    const isCamera = source.format === "camera";
    const note = element("p", "", {}, isCamera ? OF_A_CAMERA : unsaidBy(isLive(source) ? "stream" : "recording"));
    this.#form.replaceChildren(note, ...fields, buttons);
  }

  #open(open: boolean): void {
    this.#form.hidden = !open;
    this.#summary.ariaExpanded = `${open}`;
    if (open) this.#form.querySelector("input")?.focus();
    else if (this.#form.contains(document.activeElement)) this.#summary.focus();
  }

  #read(): Corrections {
    const given = new Map([...new FormData(this.#form)].map(([name, value]) => [name, Number(value)]));
    const [fx, fy, cx, cy] = (["fx", "fy", "cx", "cy"] as const).map((name) => given.get(name));
    const [metresPerUnit, fps] = [given.get("metresPerUnit"), given.get("fps")];
    const lens = fx !== undefined && fy !== undefined && cx !== undefined && cy !== undefined;
    return {
      ...(metresPerUnit !== undefined && { metresPerUnit }),
      ...(fps !== undefined && { fps }),
      ...(lens && { intrinsics: { fx, fy, cx, cy } }),
    };
  }
}

const spell = (facts: readonly Fact[]): string =>
  facts.map(({ what, value }) => BRIEF[what as Assumable](value)).join(", ");
