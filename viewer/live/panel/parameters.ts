import type { Stage } from "../../../stages/core/stage.ts";
import { controlOf } from "./fieldControl.ts";

/** Units by the ends of parameters' names. */
const UNITS: Readonly<Record<string, string>> = { Px: "px", Mm: "mm", M: "m", Deg: "°", S: "s" };
/** Marks a parameter whose unit is divided by m². */
const PER = "PerM2";

/** Splits a parameter's name into label and unit: "sigmaSpacePx" gives "Sigma space" and "px", "stepPerM2Mm" gives "Step" and "mm/m²". */
export function spell(name: string): { label: string; unit: string } {
  const words = name.replace(PER, "").split(/(?=[A-Z])/);
  const unit = words.length > 1 ? UNITS[words.at(-1) ?? ""] : undefined;
  const [first = "", ...rest] = (unit ? words.slice(0, -1) : words).map((word) => word.toLowerCase());
  const label = [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" ");
  return { label, unit: `${unit ?? ""}${name.includes(PER) ? "/m²" : ""}` };
}

/** A control for a stage's parameter. */
export interface ParameterControl {
  readonly element: HTMLElement;
  /** Shows the parameter's present value: another parameter may have changed this one's default. */
  refresh(): void;
}

/**
 * Makes a control for a parameter from its schema; `undefined` for vectors, such as a camera's pose. `onChange` is called after the change.
 */
export function parameterControl(stage: Stage, name: string, onChange: () => void): ParameterControl | undefined {
  const parameter = stage.schema[name];
  const value = stage.parameters[name];
  if (!parameter || value === undefined || parameter.kind === "vector") return undefined;
  const { label: spelled, unit } = spell(name);
  const { label = spelled, choices = [], min = 0, max = 1 } = parameter;
  const names = Object.fromEntries(choices.map((choice) => [String(choice), `${choice}${unit && ` ${unit}`}`]));
  // On an even scale of more than two powers of ten, the useful values would fill the first millimetre of the slider.
  const logarithmic = min > 0 ? max / min > 100 : min === 0 && max >= 100;
  const set = (changed: unknown) => {
    stage.set({ [name]: parameter.parse(changed) ?? stage.parameters[name] ?? value });
    onChange();
  };
  const control = controlOf({ ...parameter, label, names }, value, set, { unit, logarithmic });
  return { element: control.element, refresh: () => control.set(stage.parameters[name]) };
}
