import { short, shown } from "../sources/check.ts";

export type ParameterValue = number | string | boolean | readonly number[];

/** One parameter of a stage: what a command line, a settings file and a panel need to know of it. */
export interface Parameter<T extends ParameterValue = ParameterValue> {
  readonly kind: "number" | "choice" | "toggle" | "vector";
  readonly initial: T;
  /** One line for a person, with the unit. */
  readonly summary: string;
  /** "a number from 1 to 64": the end of an error message. */
  readonly expects: string;
  /** A live parameter takes effect on the next frame with no rebuild (it lives in a uniform). */
  readonly live: boolean;
  /** A viewer sets it from how one looks (the camera, the lens, the range of what is seen); it needs no control of its own. */
  readonly fromView?: boolean;
  /** How it can be eased where time is short. */
  readonly easing?: Easing;
  /** What few need: a panel shows it when asked for more. */
  readonly expert?: boolean;
  /** What a panel calls it, where its name is not plain enough. */
  readonly label?: string;
  /** The value as `T`, also from text as a command line gives it; `undefined` if it cannot be had. */
  parse(value: unknown): T | undefined;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly choices?: readonly T[];
}

/** What of a number can be given up for time. */
export interface Easing {
  /** How many times what it was set to, by the turns that its steps take among those of its stage; steps of one turn go together. */
  readonly shares: Readonly<Record<number, number>>;
  /** A GPU would gain nothing by it, and does without these steps. */
  readonly cpuOnly?: boolean;
}

export type Schema = Readonly<Record<string, Parameter>>;
export type ParametersOf<S extends Schema> = { readonly [K in keyof S]: S[K] extends Parameter<infer T> ? T : never };

interface Range {
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly live?: boolean;
}

/** A number in a range; `step: 1` makes it whole, `step: 2` even. */
export function number(initial: number, range: Range, summary: string): Parameter<number> {
  const { min, max, step, live = false } = range;
  const whole =
    step === 1 ? "a whole number" : step !== undefined && step % 1 === 0 ? `a multiple of ${step}` : "a number";
  const aligned = (x: number) => step === undefined || step % 1 !== 0 || x % step === 0;
  return {
    kind: "number",
    initial,
    summary,
    live,
    expects: `${whole} from ${min} to ${max}`,
    ...range,
    parse(value) {
      const x = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
      return typeof x === "number" && Number.isFinite(x) && x >= min && x <= max && aligned(x) ? x : undefined;
    },
  };
}

/** One of a few values. */
export function choice<const T extends string | number>(
  initial: NoInfer<T>,
  choices: readonly T[],
  summary: string,
  { live = false } = {},
): Parameter<T> {
  return {
    kind: "choice",
    initial,
    summary,
    choices,
    live,
    expects: `one of ${choices.join(", ")}`,
    parse: (value) => choices.find((c) => c === value || (typeof value === "string" && String(c) === value)),
  };
}

/** On or off. */
export function toggle(initial: boolean, summary: string): Parameter<boolean> {
  return {
    kind: "toggle",
    initial,
    summary,
    live: false,
    expects: "true or false",
    parse: (value) =>
      value === true || value === "true" ? true : value === false || value === "false" ? false : undefined,
  };
}

/** A fixed number of finite numbers, as an array or as text with commas. Always live, and nothing for a slider. */
export function vector(initial: readonly number[], summary: string): Parameter<readonly number[]> {
  return {
    kind: "vector",
    initial,
    summary,
    live: true,
    fromView: true,
    expects: `${initial.length} numbers from -1e6 to 1e6`,
    parse(value) {
      const numberOf = (part: string) => (part.trim() === "" ? Number.NaN : Number(part));
      const list: unknown = typeof value === "string" ? value.split(",").map(numberOf) : value;
      if (!Array.isArray(list) || list.length !== initial.length) return undefined;
      // A copy: nobody changes it later, and what was left out of a list is there to be looked at.
      const numbers = Array.from(list);
      return numbers.every((x) => typeof x === "number" && Math.abs(x) <= 1e6) ? numbers : undefined;
    },
  };
}

/** The same parameter, for a viewer to set: see `Parameter.fromView`. */
export const fromView = <P extends Parameter>(parameter: P): P => ({ ...parameter, fromView: true });

/** The same number, which may be eased: see `Easing`. */
export const eased = <P extends Parameter<number>>(
  parameter: P,
  shares: Easing["shares"],
  { cpuOnly = false } = {},
): P => ({ ...parameter, easing: { shares, cpuOnly } });

/** The same parameter, for those who know what is inside: see `Parameter.expert`. */
export const expert = <P extends Parameter>(parameter: P): P => ({ ...parameter, expert: true });

/** The same parameter, by the name that a panel has for it; its unit is put behind that. */
export const labelled = <P extends Parameter>(label: string, parameter: P): P => ({ ...parameter, label });

/** Gives what says, each time it is asked, whether one of `parameters` is another than it was the time before. Asking allocates nothing. */
export function watchChanges<P extends object>(parameters: P): () => boolean {
  const names = Object.keys(parameters) as (keyof P)[];
  const seen = names.map((name) => parameters[name]);
  return () => {
    let changed = false;
    for (let i = 0; i < names.length; i++) {
      const value = parameters[names[i]];
      if (value !== seen[i]) changed = true;
      seen[i] = value;
    }
    return changed;
  };
}

/** A parameter that does not exist or cannot have the value given. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
}

/** The parameter of that name. Throws a `ParameterError` that says which there are. */
export function parameterNamed(stage: string, schema: Schema, key: string): Parameter {
  const parameter = Object.hasOwn(schema, key) ? schema[key] : undefined;
  if (parameter) return parameter;
  const there = Object.keys(schema).join(", ") || "none";
  throw new ParameterError(`${stage} has no parameter ${short(String(key), 60)}; it has ${there}`);
}

/** `value` as the parameter takes it. Throws a `ParameterError`. */
export function checkParameter(stage: string, schema: Schema, key: string, value: unknown): ParameterValue {
  const parameter = parameterNamed(stage, schema, key);
  const parsed = parameter.parse(value);
  if (parsed === undefined) {
    throw new ParameterError(`${stage}.${key} must be ${parameter.expects}, not ${shown(value)}`);
  }
  return parsed;
}
