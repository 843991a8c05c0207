import { shown } from "../../core/check.ts";
import { easedBy } from "./easing.ts";
import type { SensorNoise } from "./noise.ts";
import {
  checkParameter,
  ParameterError,
  type ParameterValue,
  type ParameterValues,
  parameterNamed,
  type Schema,
  type SchemaOf,
} from "./parameters.ts";
import { PRESETS, type Preset } from "./presets.ts";

/** Where a stage's values come from. TypeScript infers their types from the schema alone (`NoInfer`). */
export interface ValueRules<P extends ParameterValues> {
  /** The parameters, by name. */
  readonly schema: SchemaOf<P>;
  /**
   * Defaults that replace the schema's, computed from the values that were set, from the sensor's noise, if known, and from whether a later
   * stage averages over time.
   */
  defaultsWith?(parameters: NoInfer<P>, noise: SensorNoise | undefined, isAveraged: boolean): Partial<NoInfer<P>>;
  /** The values of presets, by name (see presets.ts). */
  readonly presets?: Readonly<Partial<Record<Preset, Partial<NoInfer<P>>>>>;
}

/** The values of one stage's parameters. `parameters` and `effective` stay the same objects: a reader that keeps one sees later changes. */
export class Values<P extends ParameterValues> {
  /** See `Stage.parameters`. */
  readonly parameters: P;
  /** See `Stage.effective`. */
  readonly effective: P;
  /** `revision` counts the changes that need a rebuild, `changes` all changes. */
  revision = 0;
  changes = 0;
  readonly #schema: Schema;
  readonly #initial: ParameterValues;
  #chosen: ParameterValues = {};
  #easing = { steps: 0, onGpu: false };
  #noise: SensorNoise | undefined;
  #isAveraged = true;

  constructor(
    /** The stage's name, for error messages. */
    readonly name: string,
    readonly rules: ValueRules<P>,
  ) {
    this.#schema = rules.schema;
    this.#initial = Object.fromEntries(Object.entries(this.#schema).map(([key, { initial }]) => [key, initial]));
    this.parameters = asParameters<P>({ ...this.#initial });
    this.effective = asParameters<P>({ ...this.#initial });
  }

  set(changes: Readonly<Record<string, unknown>>): void {
    this.#choose({ ...this.#chosen, ...this.#checked(changes) });
  }

  ease(steps: number, onGpu: boolean): void {
    this.#easing = { steps, onGpu };
    this.#enforce();
  }

  /** See `Stage.applyNoise`. */
  applyNoise(noise: SensorNoise | undefined): void {
    this.#noise = noise;
    this.#choose(this.#chosen);
  }

  /** See `Stage.applyAverage`. */
  applyAverage(isAveraged: boolean): void {
    this.#isAveraged = isAveraged;
    this.#choose(this.#chosen);
  }

  /** See `Stage.reset`. */
  reset(preset: Preset = "default", parameter?: keyof P & string): void {
    const schema = this.#schema;
    if (parameter !== undefined) parameterNamed(this.name, schema, parameter);
    this.#choose(
      this.#without((key) => (parameter === undefined ? !schema[key]?.fromView : key === parameter), preset),
    );
  }

  /** See `Stage.defaultOf`. */
  defaultOf<K extends keyof P & string>(parameter: K, preset: Preset = "default"): P[K] {
    parameterNamed(this.name, this.#schema, parameter);
    return this.#valuesWith(this.#without((key) => key === parameter, preset))[parameter];
  }

  #choose(chosen: ParameterValues): void {
    this.#chosen = chosen;
    Object.assign(this.parameters, this.#valuesWith(chosen));
    this.#enforce();
  }

  #enforce(): void {
    const schema = this.#schema;
    const before: ParameterValues = this.effective;
    const { steps, onGpu } = this.#easing;
    const next: ParameterValues = steps > 0 ? easedBy(schema, this.parameters, steps, onGpu) : this.parameters;
    const other = Object.keys(schema).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(next[key]));
    if (other.length === 0) return;
    Object.assign(this.effective, next);
    this.changes++;
    if (other.some((key) => !schema[key]?.live)) this.revision++;
  }

  #valuesWith(chosen: ParameterValues): P {
    const given = asParameters<P>({ ...this.#initial, ...chosen });
    return { ...given, ...this.rules.defaultsWith?.(given, this.#noise, this.#isAveraged), ...chosen };
  }

  /** The chosen values, in which the preset's values replace those whose key `drops` selects. */
  #without(drops: (key: string) => boolean, preset: Preset): ParameterValues {
    const pick = (from: object, wanted: (key: string) => boolean) =>
      Object.fromEntries(Object.entries(from).filter(([key]) => wanted(key)));
    if (!Object.hasOwn(PRESETS, preset)) {
      throw new ParameterError(`there is no preset ${shown(preset)}; there are ${Object.keys(PRESETS).join(", ")}`);
    }
    const own = this.rules.presets?.[preset] ?? {};
    return { ...pick(this.#chosen, (key) => !drops(key)), ...this.#checked(pick(own, drops)) };
  }

  #checked(changes: Readonly<Record<string, unknown>>): Record<string, ParameterValue> {
    const { name } = this;
    if (typeof changes !== "object" || changes === null) {
      throw new ParameterError(`${name}'s parameters must be an object, not ${shown(changes)}`);
    }
    const entries = Object.entries(changes);
    const checked = (key: string, value: unknown) => withoutMinusZero(checkParameter(name, this.#schema, key, value));
    return Object.fromEntries(entries.map(([key, value]) => [key, checked(key, value)]));
  }
}

/** The value with 0 for each -0, which text (an address, a file of settings) cannot say. */
const withoutMinusZero = (value: ParameterValue): ParameterValue =>
  typeof value === "number" ? value + 0 : Array.isArray(value) ? value.map((one) => one + 0) : value;

/** The cast is safe: the values are the schema's defaults, or passed the schema's checks. */
const asParameters = <P extends ParameterValues>(values: ParameterValues) => values as P;
