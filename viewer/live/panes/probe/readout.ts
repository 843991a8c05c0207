import { spellReading } from "../../../../measure/reading.ts";
import { element, setText } from "../../../dom/controls.ts";
import type { Measurement } from "./ruler.ts";
import type { Sample } from "./snapshot.ts";

type Units = Readonly<Record<"raw" | "filtered", number>>;

const FIELDS = ["pixel", "x", "y", "z", "raw", "filtered", "difference"] as const;

/** A line with the position and depth under the pointer and the ruler's length, in millimetres. */
export class Readout {
  readonly element = element("output", "readout", { hidden: true, ariaLabel: "Under the pointer" });
  readonly #values = new Map<string, HTMLElement>();
  readonly #state = element("span", "state");
  readonly #list = element("dl");
  readonly #measured = element("span", "measured");
  readonly #note = element("span", "note");
  /** How keys use a tool, and how it is put away. */
  readonly #ends = element("span", "keys");

  constructor() {
    for (const name of FIELDS) {
      const value = element("dd");
      this.#values.set(name, value);
      this.#list.append(element("div", name, {}, element("dt", "", {}, name), value));
    }
    this.element.append(this.#note, this.#ends, this.#list, this.#state, this.#measured);
  }

  /**
   * Shows the sample; without one, and while a tool is up, also the hint, and how the tool `ends`. `spoken`: a screen reader reads the text
   * aloud. False while a pointer moves, or it would never fall silent.
   */
  show(sample: Sample | undefined, units: Units, hint: string, ends: string, spoken: boolean): void {
    this.element.ariaLive = spoken ? "polite" : "off";
    this.#list.hidden = !sample;
    setText(this.#note, sample && !ends ? "" : hint);
    setText(this.#ends, ends);
    setText(this.#state, sample ? stateOf(sample) : "");
    this.#state.classList.toggle("valid", sample !== undefined && sample.rawM > 0 && sample.filteredM > 0);
    if (!sample) return;
    const mm = (metres: number) => spellMm(metres, units.filtered);
    const { u, v, rawM, filteredM, point } = sample;
    this.#set("pixel", `${u}, ${v}`);
    for (const [axis, name] of (["x", "y", "z"] as const).entries())
      this.#set(name, point ? `${mm(point[axis])} mm` : "–");
    this.#set("raw", rawM > 0 ? `${spellMm(rawM, units.raw)} mm` : "–");
    this.#set("filtered", filteredM > 0 ? `${mm(filteredM)} mm` : "–");
    const both = rawM > 0 && filteredM > 0;
    this.#set("difference", both ? `${filteredM > rawM ? "+" : ""}${mm(filteredM - rawM)} mm` : "");
  }

  /** Shows the ruler's length; `ends` is the number of the ruler's ends. */
  showRuler(ends: number, measurement: Measurement | undefined, metresPerUnit: number): void {
    const length = measurement ? spellReading(measurement.length) : "ends on a pixel without depth";
    setText(this.#measured, ends === 2 ? `Ruler ${length}` : "");
    if (!measurement) return;
    const { from, to } = measurement;
    const along = to.map((value, axis) => spellMm(value - from[axis], metresPerUnit));
    this.#measured.title = `Along x, y, z: ${along.join(", ")} mm`;
  }

  #set(name: string, text: string): void {
    const value = this.#values.get(name);
    if (value) setText(value, text);
  }
}

/** Whether a pixel has a depth, and where that comes from. */
export function stateOf({ rawM, filteredM }: Sample): string {
  if (Number.isNaN(filteredM)) return rawM > 0 ? "measured" : "no depth";
  if (rawM > 0) return filteredM > 0 ? "valid" : "removed by a filter";
  return filteredM > 0 ? "filled in by a filter" : "no depth";
}

/** Spells metres in millimetres, with a decimal if the sensor's unit is finer than a millimetre: "1203", "−12", "57.4". */
function spellMm(metres: number, metresPerUnit: number): string {
  const text = (metres * 1000).toFixed(metresPerUnit < 0.00099 ? 1 : 0);
  // Zero gets no minus sign.
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}
