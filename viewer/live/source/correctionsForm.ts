import { type DepthFrame, type Fact, isLive, type Source } from "../../../sources/index.ts";
import { button, element } from "../../dom/controls.ts";
import { type Assumable, assumedFacts, type Corrections, LIMITS, valuesIn } from "./corrections.ts";

type Field = Exclude<keyof typeof LIMITS, "minConfidence">;

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

/**
 * Lists, under a recording's name, the facts that were assumed or corrected. Opened, it has fields to correct them, and for a recording
 * also for what of its depth is left out.
 */
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
    const { facts = [] }: Parameters<typeof assumedFacts>[0] = source;
    // A correction does not count where the source tells the fact itself by now.
    const put = Object.keys(corrections ?? {})
      .map((key) => (key === "metresPerUnit" ? "unit" : key))
      .filter((key) => facts.every(({ what, from }) => what !== key || from === "option"));
    const isCamera = source.format === "camera";
    const isFiles = source.format !== "synthetic" && !isCamera && !isLive(source);
    this.element.hidden = assumed.length === 0 && put.length === 0 && !isFiles;
    if (this.element.hidden) return;
    const unsaid = (what: string) => assumed.some((fact) => fact.what === what) || put.includes(what);
    const plain = put.length > 0 ? "Corrected by you" : "Set invalid values";
    this.element.classList.toggle("lacking", assumed.length > 0);
    this.#summary.textContent = assumed.length > 0 ? `Assumed: ${spell(assumed)}` : plain;
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
      const forget = () => {
        this.#open(false);
        this.onApply(undefined);
      };
      buttons.append(button("Forget", forget, "Goes back to what the recording says"));
    }
    const note = element("p", "", {}, isCamera ? OF_A_CAMERA : unsaidBy(isLive(source) ? "stream" : "recording"));
    this.#form.replaceChildren(
      ...(fields.length > 0 ? [note] : []),
      ...fields,
      ...(isFiles ? leftOut(corrections) : []),
      buttons,
    );
  }

  #open(open: boolean): void {
    this.#form.hidden = !open;
    this.#summary.ariaExpanded = `${open}`;
    if (open) this.#form.querySelector("input")?.focus();
    else if (this.#form.contains(document.activeElement)) this.#summary.focus();
  }

  #read(): Corrections {
    const data = new FormData(this.#form);
    const given = new Map([...data].map(([name, value]) => [name, Number(value)]));
    const [invalid, least] = [valuesIn(String(data.get("invalid") ?? "")), data.get("minConfidence")];
    const [fx, fy, cx, cy] = (["fx", "fy", "cx", "cy"] as const).map((name) => given.get(name));
    const [metresPerUnit, fps] = [given.get("metresPerUnit"), given.get("fps")];
    const lens = fx !== undefined && fy !== undefined && cx !== undefined && cy !== undefined;
    return {
      ...(metresPerUnit !== undefined && { metresPerUnit }),
      ...(fps !== undefined && { fps }),
      ...(lens && { intrinsics: { fx, fy, cx, cy } }),
      ...(invalid.length > 0 && { invalid }),
      ...(least && { minConfidence: Number(least) }),
    };
  }
}

/** The fields for pixels that are left out; an empty one leaves out none. */
function leftOut({ invalid = [], minConfidence }: Corrections = {}): HTMLElement[] {
  const values = element("input", "field", { name: "invalid", type: "text", placeholder: "65535, 2047" });
  const title = "Values of depth that mean “no measurement”, besides 0";
  Object.assign(values, { title, value: invalid.join(", "), pattern: "[\\d,\\s]*", inputMode: "numeric" });
  const least = element("input", "field", { name: "minConfidence", type: "number", step: "any" });
  const [min, max] = LIMITS.minConfidence;
  Object.assign(least, { min: `${min}`, max: `${max}`, value: `${minConfidence ?? ""}` });
  least.title =
    "Takes only pixels of at least this confidence, by the images of it beside depth: 2 keeps ARKit’s surest";
  return [element("label", "", {}, "Invalid values", values), element("label", "", {}, "Least confidence", least)];
}

const spell = (facts: readonly Fact[]): string =>
  facts.map(({ what, value }) => BRIEF[what as Assumable](value)).join(", ");
