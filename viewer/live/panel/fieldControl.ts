import { type Control, range, segmented, select, toggle } from "../../dom/controls.ts";
import type { Field, Fields, ValuesOf } from "../state/field.ts";
import type { Settings } from "../state/store.ts";

/** Details of a control that the table of settings does not have. */
export interface Looks<T> {
  /** Shows the choices in a list that opens, to save room. */
  readonly list?: boolean;
  /** For numbers: texts before and after the number, and the slider's stops and scale; see `RangeOptions`. */
  readonly prefix?: string;
  readonly unit?: string;
  readonly stops?: readonly number[];
  readonly logarithmic?: boolean;
  /** Other settings that change together with the control's. */
  readonly along?: (value: T) => object;
}

/**
 * Makes a control for a setting of a table, with the table's label, hint, choices and range. The control changes the setting in the store,
 * and also shows values that others set.
 */
export function fieldControl<F extends Fields, K extends keyof F & string>(
  fields: F,
  name: K,
  settings: Settings<Pick<ValuesOf<F>, K>>,
  looks: Looks<ValuesOf<F>[K]> = {},
): HTMLElement {
  const now = () => settings.now[name];
  const set = (value: unknown) => {
    const parsed = fields[name]?.parse(value) as ValuesOf<F>[K] | undefined;
    const patch: object = { [name]: parsed, ...(parsed !== undefined && looks.along?.(parsed)) };
    if (parsed !== undefined) settings.update(patch);
    else control.set(now());
  };
  const control = controlOf(fields[name] as Field, now(), set, looks);
  settings.changes$.subscribe((changed) => changed.has(name) && control.set(now()));
  return control.element;
}

type AnyControl = Pick<Control<unknown>, "element" | "set">;

/** Makes a control for a value of any kind but a vector. */
export function controlOf(
  field: Field,
  value: unknown,
  set: (value: unknown) => void,
  looks: Looks<never>,
): AnyControl {
  const { kind, label, summary, min = 0, max = 1, step, names = {} } = field;
  if (kind === "toggle") {
    const made = toggle(label, value === true, set, summary);
    return { element: made.element, set: (next) => made.set(next === true) };
  }
  if (kind === "number") {
    const { list: _, along: __, ...options } = looks;
    const made = range({ label, hint: summary, min, max, step, ...options, value: Number(value), onInput: set });
    return { element: made.element, set: (next) => made.set(Number(next)) };
  }
  const made = (looks.list ? select : segmented)(label, names, String(value), set);
  made.element.title = summary;
  return { element: made.element, set: (next) => made.set(String(next)) };
}
