import { shown } from "../sources/check.ts";
import { easedBy } from "./easing.ts";
import type { SensorNoise } from "./noise.ts";
import {
  checkParameter,
  ParameterError,
  type ParametersOf,
  type ParameterValue,
  parameterNamed,
  type Schema,
} from "./parameters.ts";
import { PRESETS, type Preset } from "./presets.ts";

type Some = Readonly<Record<string, ParameterValue>>;

/** What a stage's values come from. */
export interface ValueRules<S extends Schema> {
  readonly schema: S;
  /** Defaults in place of the schema's, where what was chosen or the sensor's noise, if it is known, asks for others. */
  defaultsWith?(parameters: ParametersOf<S>, noise: SensorNoise | undefined): Partial<ParametersOf<S>>;
  /** Parameters that go with a kind of sensor, or with how much is wanted, by its name (see presets.ts). */
  readonly presets?: Readonly<Partial<Record<Preset, Partial<ParametersOf<S>>>>>;
}

/** The values of one stage's parameters: chosen, or else their defaults; and in force, which is less of some where it was eased. */
export class Values<S extends Schema> {
  /** As they were set. */
  readonly parameters: Some;
  /** As the stage goes by them. Both are the same objects for good: who holds them sees what is set later. */
  readonly inForce: ParametersOf<S>;
  /** Counts the changes that need a rebuild, and all of them. */
  revision = 0;
  changes = 0;
  readonly #initial: Some;
  #chosen: Some = {};
  #easing = { steps: 0, onGpu: false };
  #noise: SensorNoise | undefined;

  constructor(
    /** The stage's name, for what is said of wrong values. */
    readonly name: string,
    readonly rules: ValueRules<S>,
  ) {
    this.#initial = Object.fromEntries(Object.entries(rules.schema).map(([key, { initial }]) => [key, initial]));
    this.parameters = { ...this.#initial };
    this.inForce = asParameters<S>({ ...this.#initial });
  }

  set(changes: Readonly<Record<string, unknown>>): void {
    this.#choose({ ...this.#chosen, ...this.#checked(changes) });
  }

  ease(steps: number, onGpu: boolean): void {
    this.#easing = { steps, onGpu };
    this.#enforce();
  }

  /** See `Stage.suit`. */
  suit(noise: SensorNoise | undefined): void {
    this.#noise = noise;
    this.#choose(this.#chosen);
  }

  /** See `Stage.reset`. */
  reset(preset: Preset = "default", parameter?: string): void {
    const { schema } = this.rules;
    if (parameter !== undefined) parameterNamed(this.name, schema, parameter);
    this.#choose(
      this.#without((key) => (parameter === undefined ? !schema[key]?.fromView : key === parameter), preset),
    );
  }

  /** See `Stage.standing`. */
  standing(parameter: string, preset: Preset = "default"): ParameterValue | undefined {
    parameterNamed(this.name, this.rules.schema, parameter);
    return this.#valuesWith(this.#without((key) => key === parameter, preset))[parameter];
  }

  #choose(chosen: Some): void {
    this.#chosen = chosen;
    Object.assign(this.parameters, this.#valuesWith(chosen));
    this.#enforce();
  }

  #enforce(): void {
    const { schema } = this.rules;
    const before: Some = this.inForce;
    const { steps, onGpu } = this.#easing;
    const next = steps > 0 ? easedBy(schema, this.parameters, steps, onGpu) : this.parameters;
    const other = Object.keys(schema).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(next[key]));
    if (other.length === 0) return;
    Object.assign(this.inForce, next);
    this.changes++;
    if (other.some((key) => !schema[key]?.live)) this.revision++;
  }

  #valuesWith(chosen: Some): Readonly<Record<string, ParameterValue | undefined>> {
    const follow = this.rules.defaultsWith?.(asParameters<S>({ ...this.#initial, ...chosen }), this.#noise);
    return { ...this.#initial, ...follow, ...chosen };
  }

  /** What is chosen where nobody has chosen those parameters, but perhaps a preset. */
  #without(drops: (key: string) => boolean, preset: Preset): Some {
    const pick = (from: object, wanted: (key: string) => boolean) =>
      Object.fromEntries(Object.entries(from).filter(([key]) => wanted(key)));
    if (!Object.hasOwn(PRESETS, preset)) {
      throw new ParameterError(`there is no preset ${shown(preset)}; there are ${Object.keys(PRESETS).join(", ")}`);
    }
    const own = this.rules.presets?.[preset] ?? {};
    return { ...pick(this.#chosen, (key) => !drops(key)), ...this.#checked(pick(own, drops)) };
  }

  #checked(changes: Readonly<Record<string, unknown>>): Some {
    const { name, rules } = this;
    if (typeof changes !== "object" || changes === null) {
      throw new ParameterError(`${name}'s parameters must be an object, not ${shown(changes)}`);
    }
    const entries = Object.entries(changes);
    return Object.fromEntries(entries.map(([key, value]) => [key, checkParameter(name, rules.schema, key, value)]));
  }
}

/** A schema's own defaults and values that passed its checks are what makes this cast true. */
const asParameters = <S extends Schema>(values: Some) => values as unknown as ParametersOf<S>;
