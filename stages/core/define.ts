import { checkArgument, type Rule, shown } from "../../core/check.ts";
import type { FrameShape } from "../../core/frame.ts";
import { easingSteps } from "./easing.ts";
import {
  type Changes,
  forBuild,
  type NoParameters,
  ParameterError,
  type ParameterValues,
  type SchemaOf,
} from "./parameters.ts";
import { Pool } from "./pool.ts";
import type { Preset } from "./presets.ts";
import type { BuildContext, BuiltStage, Gift, Role, Stage, Twin } from "./stage.ts";
import { choose, type TuningSpace } from "./tuning.ts";
import { type ValueRules, Values } from "./values.ts";
import { hasMemoryOf } from "./wasm.ts";

/** The parts that a stage's author provides. The schema, computed defaults and presets belong to `ValueRules`. */
export interface StageDefinition<P extends ParameterValues> extends ValueRules<P> {
  /** Identifies the stage, such as "median": letters, digits and _. */
  readonly name: string;
  /** A short name for people. Default: `name`. */
  readonly title?: string;
  /** One line for people that says what the stage does. */
  readonly summary: string;
  /** Default: "filter". */
  readonly role?: Role;
  /**
   * The stage's place among the stages of its role; lower places run first. Default: 0. `depthloom stages` prints the places of all stages.
   * A stage of another package may share a place: it then runs behind.
   */
  readonly place?: number;
  /** Whether the stage runs where the user chose no stages. Default: false. */
  readonly byDefault?: boolean;
  /** Whether the stage's output depends on earlier frames. Default: false. */
  readonly remembers?: boolean;
  /** What the stage adds to a frame: the camera's pose, or depth that it matches from the frame's pair. Default: neither. */
  readonly gives?: Gift;
  /** Whether the stage takes a mean over time, before which other stages leave noise rather than lose detail. Default: false. */
  readonly averages?: boolean;
  /**
   * Whether the stage computes depths between those of its input. A pipeline with such a stage works in a finer unit than the source's if
   * that is coarse; `shape.metresPerUnit` says which. Default: false.
   */
  readonly smooths?: boolean;
  /** How far the kernels' depth may differ from the twin's, in units of the frame. Default: 0. */
  readonly depthTolerance?: number | ((parameters: NoInfer<P>) => number);
  /** The most by which red, green or blue of a pixel may differ between kernel and twin, in steps of 1/255. Default: 0. */
  readonly colorTolerance?: number;
  /** The choices of `depthloom tune`. Default: none. */
  readonly tuning?: TuningSpace;
  /** Whether the stage has anything to do for frames of this shape. Default: always true. */
  needed?(shape: FrameShape): boolean;
  /** The shape of the frames that the stage leaves, which must not depend on a live parameter. Default: the shape of its input. */
  leaves?(shape: FrameShape, parameters: NoInfer<P>): FrameShape;
  /** Compiles the kernels and allocates their output from the context's `pool`. Each frame calls the result's `encode`. */
  build(context: BuildContext<NoInfer<P>>): Promise<Omit<BuiltStage, "destroy"> & Partial<Pick<BuiltStage, "destroy">>>;
  /** Makes the CPU twin for frames of this shape. `parameters` is live. `before`, as in `Stage.twin`, ends unless its memory is used. */
  twin(shape: FrameShape, parameters: NoInfer<P>, before?: Twin): Twin;
}

/**
 * A function that makes a stage: `median({ size: 3 })`. Parameters that are not given take the schema's defaults. A second stage of the
 * same kind in a pipeline needs a name of its own: `median({ size: 5 }, "coarse")`. Throws a `ParameterError`.
 */
export interface StageFactory<P extends ParameterValues = ParameterValues> {
  (parameters?: Changes<P>, name?: string): Stage<P>;
  /** Identifies the stage: "median". */
  readonly stageName: string;
  /** The stage's name for people, short. */
  readonly title: string;
  /** One line for people that says what the stage does. */
  readonly summary: string;
  /** What the stage does, which also decides its place in the default order. */
  readonly role: Role;
  /** The stage's place among the stages of its role. */
  readonly place: number;
  /** Whether the stage runs where the user chose no stages. */
  readonly byDefault: boolean;
  /** The parameters, by name. */
  readonly schema: SchemaOf<P>;
  /** The values of presets that differ from the defaults. */
  readonly presets: Readonly<Partial<Record<Preset, Partial<P>>>>;
}

/** Whether a value is a stage's factory, even one from another copy of this library. */
export const isStageFactory = (value: unknown): value is StageFactory =>
  typeof value === "function" && ["stageName", "role", "place", "schema", "presets"].every((key) => key in value);

const plain = new WeakSet<Stage>();

/** Whether the factory made this stage object itself. A wrapped or hand-written stage may behave differently from its kind. */
export const isPlain = (stage: Stage): boolean => plain.has(stage);

const definitionRule: Rule = {
  expects: "an object with a name of letters, digits and _, a schema, and the functions build and twin",
  holds(value) {
    const { name, schema, build, twin } = { ...(value as Partial<StageDefinition<ParameterValues>> | null) };
    const isNamed = typeof name === "string" && /^\w+$/.test(name);
    const isBuilt = typeof build === "function" && typeof twin === "function";
    return isNamed && isBuilt && Object.values(schema ?? { none: 0 }).every((one) => typeof one?.parse === "function");
  },
};

/**
 * Makes a stage's factory; every stage's `index.ts` calls this. TypeScript infers names and types of the parameters from the schema:
 * `schema: { size: choice(3, [3, 5], "…") }` gives `(parameters?: { size?: 3 | 5 }) => Stage<{ size: 3 | 5 }>`.
 *
 * @example
 * const schema = { marginPx: number(8, { min: 0, max: 64 }, "width of the frame that is cut off, px") };
 * const crop = defineStage({ name: "crop", summary: "keeps the middle", schema, build, twin });
 */
export function defineStage<P extends ParameterValues = NoParameters>(definition: StageDefinition<P>): StageFactory<P> {
  checkArgument("defineStage", "the stage", definitionRule, definition);
  const {
    name: kind,
    title = kind,
    summary,
    role = "filter",
    place = 0,
    byDefault = false,
    schema,
    presets = {},
    tuning,
    remembers = false,
    gives,
    averages = false,
    smooths = false,
    depthTolerance = 0,
    colorTolerance = 0,
  } = definition;
  const create = (given?: Changes<P>, name = kind): Stage<P> => {
    if (typeof name !== "string" || !/^\w+$/.test(name))
      throw new ParameterError(`a stage's name consists of letters, digits and _, not ${shown(name)}`);
    const values = new Values(name, definition);
    if (given !== undefined) values.set(given);
    const stage: Stage<P> = {
      name,
      kind,
      title,
      summary,
      role,
      schema,
      parameters: values.parameters,
      effective: values.effective,
      easingSteps: (onGpu) => easingSteps(schema, onGpu),
      ease: (steps, onGpu) => values.ease(steps, onGpu),
      get revision() {
        return values.revision;
      },
      get changes() {
        return values.changes;
      },
      set: (changes) => values.set(changes),
      applyNoise: (noise) => values.applyNoise(noise),
      applyAverage: (isAveraged) => values.applyAverage(isAveraged),
      reset: (preset, parameter) => values.reset(preset, parameter),
      defaultOf: (parameter, preset) => values.defaultOf(parameter, preset),
      remembers,
      gives,
      averages,
      followsNoise: definition.defaultsWith !== undefined,
      smooths,
      get depthTolerance() {
        return typeof depthTolerance === "number" ? depthTolerance : depthTolerance(values.effective);
      },
      colorTolerance,
      tuning,
      needed: (shape) => definition.needed?.(shape) ?? true,
      leaves: (shape) => definition.leaves?.(shape, values.effective) ?? shape,
      async build({ device, shape, input, overrides: chosen = {}, pool = new Pool(device, name) }) {
        pool.begin();
        try {
          const overrides = choose(name, tuning, device, chosen);
          const parameters = forBuild(schema, values.effective);
          const built = await definition.build({ device, shape, input, parameters, overrides, pool });
          await pool.made();
          const destroy = () => {
            built.destroy?.();
            pool.destroy();
          };
          return { ...built, destroy };
        } catch (error) {
          // An object that the GPU refused fails later, where it is used, with a vaguer error: the refusal is thrown instead.
          const cause: unknown = await pool.made().then(
            () => error,
            (refusal: unknown) => refusal,
          );
          pool.cancel();
          throw cause;
        }
      },
      twin(shape, before) {
        const twin = definition.twin(shape, values.effective, before);
        if (before && !hasMemoryOf(before, twin)) before.destroy?.();
        return twin;
      },
    };
    plain.add(stage);
    return stage;
  };
  return Object.assign(create, { stageName: kind, title, summary, role, place, byDefault, schema, presets });
}
