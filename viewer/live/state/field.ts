import { choice, number, type Parameter, type ParameterValue, toggle } from "../../../stages/core/parameters.ts";

/** A setting of the viewer: its default (`initial`), its accepted values (`parse`, `expects`), and its texts on the page. */
export interface Field<T extends ParameterValue = ParameterValue> extends Parameter<T> {
  /** The setting's name on the page. */
  readonly label: string;
  /** The name of each choice on the page. */
  readonly names?: Readonly<Record<string, string>>;
}

/** Settings by their names in addresses and settings files. */
export type Fields = Readonly<Record<string, Field>>;

/** The values of such settings, by the same names. */
export type ValuesOf<F extends Fields> = { -readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** Declares a setting that is on or off. */
export const onOff = (label: string, initial: boolean, summary: string): Field<boolean> => ({
  ...toggle(initial, summary),
  label,
});

/** Declares a setting that is one of a few values; `names` has each value with its name on the page. */
export function oneOf<T extends string | number>(
  label: string,
  initial: NoInfer<T>,
  names: Readonly<Record<T, string>>,
  summary: string,
): Field<T> {
  const keys: readonly unknown[] = Object.keys(names);
  const choices = (typeof initial === "number" ? keys.map(Number) : keys) as T[];
  return { ...choice<T>(initial, choices, summary), label, names };
}

/** Declares a setting that is a number in a range. */
export const amount = (
  label: string,
  initial: number,
  range: { readonly min: number; readonly max: number; readonly step?: number },
  summary: string,
): Field<number> => ({ ...number(initial, range, summary), label });

/** The default of each setting. */
export const defaultsOf = <F extends Fields>(fields: F): ValuesOf<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, { initial }]) => [name, initial])) as ValuesOf<F>;
