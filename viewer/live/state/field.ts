import { choice, number, type Parameter, type ParameterValue, toggle } from "../../../stages/core/parameters.ts";

/** A setting of the viewer: its default (`initial`), what it may be (`parse`, `expects`), and what people are told of it. */
export interface Field<T extends ParameterValue = ParameterValue> extends Parameter<T> {
  /** The name that the page shows for it. */
  readonly label: string;
  /** What the page calls each choice. */
  readonly names?: Readonly<Record<string, string>>;
}

/** Fields by the names that an address and a settings file have for them. */
export type Fields = Readonly<Record<string, Field>>;

/** The values of such fields. */
export type ValuesOf<F extends Fields> = { -readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** A field that is on or off. */
export const onOff = (label: string, initial: boolean, summary: string): Field<boolean> => ({
  ...toggle(initial, summary),
  label,
});

/** A field that is one of a few values; `names` has each of them with the name that the page shows for it. */
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

/** A field that is a number in a range. */
export const amount = (
  label: string,
  initial: number,
  range: { readonly min: number; readonly max: number; readonly step?: number },
  summary: string,
): Field<number> => ({ ...number(initial, range, summary), label });

/** The value of each field where nobody has chosen another. */
export const defaultsOf = <F extends Fields>(fields: F): ValuesOf<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, { initial }]) => [name, initial])) as ValuesOf<F>;
