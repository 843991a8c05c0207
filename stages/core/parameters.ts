import { short, shown } from "../../core/check.ts";

/** The value of one parameter of a stage. */
export type ParameterValue = number | string | boolean | readonly number[];

/** One parameter of a stage, as a command line, a settings file and a panel need it. */
export interface Parameter<T extends ParameterValue = ParameterValue> {
  /** The kind of value. */
  readonly kind: "number" | "choice" | "toggle" | "vector" | "text";
  /** The default. */
  readonly initial: T;
  /** One line for people, with the unit. */
  readonly summary: string;
  /** The accepted values, as the end of an error message: "a number from 1 to 64". */
  readonly expects: string;
  /** A live parameter takes effect on the next frame without a rebuild, since it lives in a uniform buffer. */
  readonly live: boolean;
  /** A viewer derives this parameter from the view (camera, lens, visible range), so it needs no control of its own. */
  readonly fromView?: boolean;
  /** How the governor can lower this parameter while time is short. */
  readonly easing?: Easing;
  /** Few people need this parameter: a panel shows it only on request. */
  readonly expert?: boolean;
  /** The panel's name for it, where the parameter's own name is not plain enough. */
  readonly label?: string;
  /** Converts a value, or text from a command line, to `T`. Gives `undefined` if the value is not accepted. */
  parse(value: unknown): T | undefined;
  /** The smallest number accepted. */
  readonly min?: number;
  /** The largest number accepted. */
  readonly max?: number;
  /** Only multiples of the step are accepted. */
  readonly step?: number;
  /** All values accepted. */
  readonly choices?: readonly T[];
}

/** How a number can be lowered to save time. */
export interface Easing {
  /**
   * Factors by which the set value is multiplied, by turn. The turns of all parameters of a stage, in ascending order, are its steps; equal
   * turns change together.
   */
  readonly shares: Readonly<Record<number, number>>;
  /** Skip these steps on a GPU, which would gain nothing by them. */
  readonly cpuOnly?: boolean;
  /** Describes what is lost when `used` replaces `asked`; absent where another parameter's words say it. */
  readonly says?: ((used: number, asked: number) => string) | undefined;
}

/** The parameters of a stage, by name. */
export type Schema = Readonly<Record<string, Parameter>>;

/** Values by the names of their parameters. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/** The values that a schema describes: `{ readonly size: 3 | 5 }`. The condition is always true; it makes editors show the result. */
export type ParametersOf<S extends Schema> = S extends Schema
  ? { readonly [K in keyof S]: S[K] extends Parameter<infer T> ? T : never }
  : never;

/** The schema that describes the values of type `P`. */
export type SchemaOf<P extends ParameterValues> = { readonly [K in keyof P]: Parameter<P[K]> };

/** The parameters of a stage that has none: TypeScript infers nothing from an empty schema. */
export type NoParameters = Record<never, never>;

/**
 * A subset of the values, for `set`: `{ size?: 3 | 5 }`. For a stage without parameters this is an empty record, since `{}` allows
 * anything.
 */
export type Changes<P extends ParameterValues> = keyof P extends never
  ? Record<string, never>
  : { -readonly [K in keyof P]?: P[K] };

/** The numbers that a parameter accepts. */
export interface Range {
  /** The smallest number. */
  readonly min: number;
  /** The largest number. */
  readonly max: number;
  /** Only multiples of `step` are accepted: 1 accepts whole numbers. */
  readonly step?: number;
  /** Whether a change takes effect without a rebuild; false if not given. */
  readonly live?: boolean;
}

/** A number from `min` to `max`. `step: 1` accepts whole numbers only, `step: 2` even ones. */
export function number(initial: number, range: Range, summary: string): Parameter<number> {
  if (!(range?.min <= initial && initial <= range.max))
    throw new ParameterError(`number: ${shown(initial)} must lie within its range, { min, max }, not ${shown(range)}`);
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
  if (!Array.isArray(choices) || !choices.includes(initial))
    throw new ParameterError(`choice: ${shown(initial)} must be one of the choices, ${shown(choices)}`);
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

/** True or false. */
export function toggle(initial: boolean, summary: string): Parameter<boolean> {
  if (typeof initial !== "boolean") throw new ParameterError(`toggle: ${shown(initial)} must be true or false`);
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

/** A fixed number of finite numbers, given as an array or as text with commas. Always live, and without a slider. */
export function vector(initial: readonly number[], summary: string): Parameter<readonly number[]> {
  if (!Array.isArray(initial) || !initial.every(Number.isFinite))
    throw new ParameterError(`vector: its value must be a list of finite numbers, not ${shown(initial)}`);
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
      // A copy, so that later changes to the caller's array have no effect; Array.from also turns holes into undefined, which fails below.
      const numbers = Array.from(list);
      return numbers.every((x) => typeof x === "number" && Math.abs(x) <= 1e6) ? numbers : undefined;
    },
  };
}

/** Marks the parameter as set by a viewer: see `Parameter.fromView`. */
export const fromView = <P extends Parameter>(parameter: P): P => ({ ...parameter, fromView: true });

/** Marks the number as one that the governor may lower: see `Easing`. */
export const eased = <P extends Parameter<number>>(
  parameter: P,
  shares: Easing["shares"],
  { cpuOnly = false, says }: Omit<Easing, "shares"> = {},
): P => ({ ...parameter, easing: { shares, cpuOnly, says } });

/** Marks the parameter as one for experts: see `Parameter.expert`. */
export const expert = <P extends Parameter>(parameter: P): P => ({ ...parameter, expert: true });

/** Gives the parameter a name for panels, which append its unit. */
export const labelled = <P extends Parameter>(label: string, parameter: P): P => ({ ...parameter, label });

/** Returns a function that says whether any of `parameters` has changed since its last call. That function allocates nothing. */
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

/**
 * The parameters as a build gets them: live ones follow `parameters`, the others stay as they are now. A built stage goes on computing with
 * these values until another build takes its place.
 */
export function forBuild<P extends ParameterValues>(schema: Schema, parameters: P): P {
  const property = (key: string): PropertyDescriptor => ({
    enumerable: true,
    ...(schema[key]?.live ? { get: () => parameters[key] } : { value: parameters[key] }),
  });
  return Object.defineProperties({}, Object.fromEntries(Object.keys(schema).map((key) => [key, property(key)]))) as P;
}

/**
 * Sets those values that the stage has parameters for, each number within its parameter's range: for values that follow from a scene or a
 * window, which nobody has chosen and a stage should not refuse.
 */
export function setWithin(
  stage: { readonly schema: Schema; set(changes: ParameterValues): unknown },
  values: ParameterValues,
): void {
  for (const [name, value] of Object.entries(values)) {
    const parameter = stage.schema[name];
    if (!parameter) continue;
    const { min = -Infinity, max = Infinity } = parameter;
    stage.set({ [name]: typeof value === "number" ? Math.min(Math.max(value, min), max) : value });
  }
}

/** There is no such parameter, or the parameter does not accept the value. */
export class ParameterError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "ParameterError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_PARAMETER";
}

/** The parameter of that name. Throws a `ParameterError` that lists the existing names. */
export function parameterNamed(stage: string, schema: Schema, key: string): Parameter {
  const parameter = Object.hasOwn(schema, key) ? schema[key] : undefined;
  if (parameter) return parameter;
  const there = Object.keys(schema).join(", ") || "none";
  throw new ParameterError(`${stage} has no parameter ${short(String(key), 60)}; it has ${there}`);
}

/** Converts `value` to what the parameter accepts. Throws a `ParameterError` that names the accepted values. */
export function checkParameter(stage: string, schema: Schema, key: string, value: unknown): ParameterValue {
  const parameter = parameterNamed(stage, schema, key);
  const parsed = parameter.parse(value);
  if (parsed === undefined) {
    throw new ParameterError(`${stage}.${key} must be ${parameter.expects}, not ${shown(value)}`);
  }
  return parsed;
}
