import { shown } from "../sources/check.ts";
import type { FrameShape } from "../sources/frame.ts";
import { easingSteps } from "./easing.ts";
import { ParameterError, type ParametersOf, type Schema } from "./parameters.ts";
import { Pool } from "./pool.ts";
import type { Preset } from "./presets.ts";
import type { FrameResources } from "./resources.ts";
import type { BuiltStage, Role, Stage, Twin } from "./stage.ts";
import { choose as chooseKnobs, type Overrides, type TuningSpace } from "./tuning.ts";
import { type ValueRules, Values } from "./values.ts";

interface StageDefinition<S extends Schema> extends ValueRules<S> {
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
  /** `false` if not given. */
  readonly remembers?: boolean;
  /** None: they are equal. */
  readonly depthTolerance?: number;
  readonly tuning?: TuningSpace;
  /** Always, and the shape that is given, if not told otherwise. What it leaves may not follow a live parameter. */
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
    if (typeof name !== "string" || !/^\w+$/.test(name))
      throw new ParameterError(`a stage's name is letters, digits and _, not ${shown(name)}`);
    const values = new Values(name, definition);
    values.set(given);
    const stage: Stage = {
      name,
      kind,
      title,
      summary,
      role,
      schema,
      parameters: values.parameters,
      inForce: values.inForce,
      easingSteps: (onGpu) => easingSteps(schema, onGpu),
      ease: (steps, onGpu) => values.ease(steps, onGpu),
      get revision() {
        return values.revision;
      },
      get changes() {
        return values.changes;
      },
      set: (changes) => values.set(changes),
      suit: (noise) => values.suit(noise),
      reset: (preset, parameter) => values.reset(preset, parameter),
      standing: (parameter, preset) => values.standing(parameter, preset),
      remembers,
      depthTolerance,
      tuning,
      needed: (shape) => definition.needed?.(shape) ?? true,
      leaves: (shape) => definition.leaves?.(shape, values.inForce) ?? shape,
      async build(device, shape, input, overrides = {}, pool = new Pool(device, name)) {
        pool.begin();
        try {
          const knobs = chooseKnobs(name, tuning, device, overrides);
          const built = await definition.build(device, shape, input, values.inForce, knobs, pool);
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
      twin: (shape, before) => definition.twin(shape, values.inForce, before),
    };
    plain.add(stage);
    return stage;
  };
  return Object.assign(create, { stageName: kind, summary, role, place, byDefault, schema, presets });
}
