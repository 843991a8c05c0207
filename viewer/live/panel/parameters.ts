import type { Parameter, ParameterValue } from "../../../stages/core/parameters.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import { type Control, range, segmented, toggle } from "../../dom/controls.ts";

/** Units stand at the end of a parameter's name. */
const UNITS: Readonly<Record<string, string>> = { Px: "px", Mm: "mm", M: "m", Deg: "°", S: "s" };
/** What the number is over, before its unit. */
const PER = "PerM2";

/** "sigmaSpacePx" is "Sigma space" in "px", "stepPerM2Mm" is "Step" in "mm/m²". */
export function spell(name: string): { label: string; unit: string } {
  const words = name.replace(PER, "").split(/(?=[A-Z])/);
  const unit = words.length > 1 ? UNITS[words.at(-1) ?? ""] : undefined;
  const [first = "", ...rest] = (unit ? words.slice(0, -1) : words).map((word) => word.toLowerCase());
  const label = [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" ");
  return { label, unit: `${unit ?? ""}${name.includes(PER) ? "/m²" : ""}` };
}

/** A control that shows what a stage is set to. */
export interface ParameterControl {
  readonly element: HTMLElement;
  /** Shows what the parameter is now: to set one may change another's default. */
  refresh(): void;
}

/**
 * A control for a parameter, from its schema alone; `undefined` for vectors (a camera's pose is not for sliders).
 * `onChange` comes after the stage has the value.
 */
export function parameterControl(stage: Stage, name: string, onChange: () => void): ParameterControl | undefined {
  const parameter = stage.schema[name];
  const value = stage.parameters[name];
  if (!parameter || value === undefined) return undefined;
  const { label: spelled, unit } = spell(name);
  const { label = spelled } = parameter;
  const set = (changed: ParameterValue) => {
    stage.set({ [name]: changed });
    onChange();
  };
  const now = () => stage.parameters[name];
  if (typeof value === "number" && parameter.kind === "number") {
    const control = numberControl(parameter, label, unit, value, set);
    return { element: control.element, refresh: () => control.set(Number(now())) };
  }
  if (typeof value === "boolean") {
    const control = toggle(label, value, set, parameter.summary);
    return { element: control.element, refresh: () => control.set(now() === true) };
  }
  if (parameter.kind === "choice") {
    const named = (parameter.choices ?? []).map(
      (choice) => [String(choice), `${choice}${unit && ` ${unit}`}`] as const,
    );
    const control = segmented(label, Object.fromEntries(named), String(value), (text) =>
      set(parameter.parse(text) ?? value),
    );
    control.element.title = parameter.summary;
    return { element: control.element, refresh: () => control.set(String(now())) };
  }
  return undefined;
}

function numberControl(
  { min = 0, max = 1, step, summary }: Parameter,
  label: string,
  unit: string,
  value: number,
  onInput: (value: number) => void,
): Control<number> {
  // Over two powers of ten, even steps would put all that matters in the first millimetre.
  const logarithmic = min > 0 && max / min > 100;
  return range({ label, unit, hint: summary, min, max, step, logarithmic, value, onInput });
}
