import { shown } from "../sources/check.ts";
import type { FrameShape } from "../sources/frame.ts";
import { easedBy, easingSteps } from "./easing.ts";
import { checkParameter, ParameterError, type ParametersOf, type ParameterValue, type Schema } from "./parameters.ts";
import { Pool } from "./pool.ts";
import type { Preset } from "./presets.ts";
import type { FrameResources } from "./resources.ts";
import type { BuiltStage, Role, Stage, Twin } from "./stage.ts";
import { choose as chooseKnobs, type Overrides, type TuningSpace } from "./tuning.ts";

interface StageDefinition<S extends Schema> {
  readonly name: string;
  /** What a person calls it, short; the name if not given. */
  readonly title?: string;
  readonly summary: string;
  /** "filter" if not given. */
  readonly role?: Role;
  /** Its place among those of its role, the lowest first. */
  readonly place?: number;
  /** Whether it is in the chain that runs where nobody chose one. */
  readonly byDefault?: boolean;
  readonly schema: S;
  /** Defaults in place of the schema's, where what was chosen asks for others. */
  defaultsWith?(parameters: ParametersOf<S>): Partial<ParametersOf<S>>;
  /** Parameters that go with a kind of sensor, or with how much is wanted, by its name (see presets.ts). */
  readonly presets?: Readonly<Partial<Record<Preset, Partial<ParametersOf<S>>>>>;
  /** `false` if not given. */
  readonly remembers?: boolean;
  /** None: they are equal. */
  readonly depthTolerance?: number;
  readonly tuning?: TuningSpace;
  /** Always, and the shape that is given, if not told otherwise. */
  needed?(shape: FrameShape): boolean;
  leaves?(shape: FrameShape, parameters: ParametersOf<S>): FrameShape;
  /** `parameters` is live: later `set`s show in it. `overrides` has a value for every knob of `tuning`. */
  build(
    device: GPUDevice,
    shape: FrameShape,
    input: FrameResources,
    parameters: ParametersOf<S>,
    overrides: Overrides,
    pool: Pool,
  ): Promise<Omit<BuiltStage, "destroy"> & { destroy?(): void }>;
  twin(shape: FrameShape, parameters: ParametersOf<S>, before?: Twin): Twin;
}

/**
 * A stage's factory: `median({ size: 3 })`; what is not given takes the schema's default. A second one in a pipeline needs a
 * name of its own: `median({ size: 5 }, "coarse")`. Throws a `ParameterError`.
 */
export interface StageFactory<S extends Schema = Schema> {
  (parameters?: Partial<ParametersOf<S>>, name?: string): Stage;
  readonly stageName: string;
  readonly summary: string;
  readonly role: Role;
  readonly place: number;
  readonly byDefault: boolean;
  readonly schema: S;
  readonly presets: Readonly<Partial<Record<Preset, Partial<ParametersOf<S>>>>>;
}

const plain = new WeakSet<Stage>();

/** Whether a stage is as its factory made it: one that somebody wrapped or wrote by hand may do otherwise than its kind. */
export const isPlain = (stage: Stage): boolean => plain.has(stage);

/** Makes a stage's factory from its parts. This is all a stage's `index.ts` has to call. */
export function defineStage<S extends Schema>(definition: StageDefinition<S>): StageFactory<S> {
  const {
    name: kind,
    title = kind,
    summary,
    role = "filter",
    place = 0,
    byDefault = false,
    schema,
    presets = {} as NonNullable<StageDefinition<S>["presets"]>,
    tuning,
    remembers = false,
    depthTolerance = 0,
  } = definition;
  const create = (given: Partial<ParametersOf<S>> = {}, name = kind): Stage => {
    if (!/^\w+$/.test(name)) throw new ParameterError(`a stage's name is letters, digits and _, not ${shown(name)}`);
    const initial = Object.fromEntries(Object.entries(schema).map(([key, parameter]) => [key, parameter.initial]));
    const values: Record<string, ParameterValue> = { ...initial };
    const inForce = { ...values };
    // The lines above and the checks of `set` are what make this cast true.
    const parameters = inForce as unknown as ParametersOf<S>;
    let easing = 0;
    let [revision, changed] = [0, 0];
    let chosen: Readonly<Record<string, ParameterValue>> = {};
    const valuesWith = (now: typeof chosen): Readonly<Record<string, ParameterValue | undefined>> => {
      const follow = definition.defaultsWith?.({ ...initial, ...now } as unknown as ParametersOf<S>);
      return { ...initial, ...follow, ...now };
    };
    const choose = (now: typeof chosen) => {
      chosen = now;
      Object.assign(values, valuesWith(chosen));
      enforce();
    };
    const enforce = () => {
      const next = easing > 0 ? easedBy(schema, values, easing) : values;
      const other = Object.keys(schema).filter((key) => JSON.stringify(inForce[key]) !== JSON.stringify(next[key]));
      if (other.length === 0) return;
      Object.assign(inForce, next);
      changed++;
      if (other.some((key) => !schema[key]?.live)) revision++;
    };
    const checked = (changes: Readonly<Record<string, unknown>>) => {
      if (typeof changes !== "object" || changes === null) {
        throw new ParameterError(`${name}'s parameters must be an object, not ${shown(changes)}`);
      }
      return Object.fromEntries(
        Object.entries(changes).map(([key, value]) => [key, checkParameter(name, schema, key, value)]),
      );
    };
    const set = (changes: Readonly<Record<string, unknown>>) => choose({ ...chosen, ...checked(changes) });
    /** What is chosen where nobody has chosen those parameters, but perhaps a preset. */
    const without = (drops: (key: string) => boolean, preset: Preset) => {
      const pick = (from: object, wanted: (key: string) => boolean) =>
        Object.fromEntries(Object.entries(from).filter(([key]) => wanted(key)));
      return { ...pick(chosen, (key) => !drops(key)), ...checked(pick(presets[preset] ?? {}, drops)) };
    };
    set(given);
    const stage: Stage = {
      name,
      kind,
      title,
      summary,
      role,
      schema,
      parameters: values,
      inForce,
      easingSteps: (onGpu) => easingSteps(schema, onGpu),
      ease(steps) {
        easing = steps;
        enforce();
      },
      get revision() {
        return revision;
      },
      get changes() {
        return changed;
      },
      set,
      reset(preset: Preset = "default", parameter?: string) {
        choose(without((key) => (parameter === undefined ? !schema[key]?.fromView : key === parameter), preset));
      },
      standing: (parameter, preset = "default") => valuesWith(without((key) => key === parameter, preset))[parameter],
      remembers,
      depthTolerance,
      tuning,
      needed: (shape) => definition.needed?.(shape) ?? true,
      leaves: (shape) => definition.leaves?.(shape, parameters) ?? shape,
      async build(device, shape, input, overrides = {}, pool = new Pool(device, name)) {
        pool.begin();
        try {
          const knobs = chooseKnobs(name, tuning, device, overrides);
          const built = await definition.build(device, shape, input, parameters, knobs, pool);
          await pool.made();
          const destroy = () => {
            built.destroy?.();
            pool.destroy();
          };
          return { ...built, destroy };
        } catch (error) {
          pool.cancel();
          throw error;
        }
      },
      twin: (shape, before) => definition.twin(shape, parameters, before),
    };
    plain.add(stage);
    return stage;
  };
  return Object.assign(create, { stageName: kind, summary, role, place, byDefault, schema, presets });
}
