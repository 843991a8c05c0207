import { short, shown } from "../sources/check.ts";
import type { ColorArray, DepthArray, FrameShape } from "../sources/frame.ts";
import { easedBy, easingSteps } from "./easing.ts";
import type { Moment } from "./moment.ts";
import type { ParametersOf, ParameterValue, Schema } from "./parameters.ts";
import { Pool } from "./pool.ts";
import type { Preset } from "./presets.ts";
import type { FrameResources } from "./resources.ts";
import { choose as chooseKnobs, type Overrides, type TuningSpace } from "./tuning.ts";

/** Compacted points on the CPU: four words a point, as on the GPU (see `PointCloud` in resources.ts). */
export interface CpuPoints {
  /** x, y, z in metres in the sensor's frame (x right, y down, z forward), then the colour's bits. Only the first `count` points mean anything. */
  readonly floats: Float32Array;
  /** The same memory as words: word 4·i + 3 is the point's colour, r | g << 8 | b << 16 | a << 24. */
  readonly words: Uint32Array;
  count: number;
}

/** The rendered picture on the CPU: rgba8 and the distance along the optical axis in metres (0 where nothing was drawn). */
export interface CpuPicture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray;
  readonly depth: Float32Array;
}

/** What travels along the stages when they run on the CPU. A twin replaces fields; it never writes into an array it was given. */
export interface CpuFrame {
  depth: DepthArray;
  color: ColorArray | undefined;
  points: CpuPoints | undefined;
  picture: CpuPicture | undefined;
  /** As in `FrameResources`. */
  raw?: DepthArray | undefined;
  shown?: DepthArray | undefined;
}

/** A stage made ready for one device and frame shape. */
export interface BuiltStage {
  /** The resources this stage leaves to those after it, in place of those it was given. */
  readonly output: Partial<FrameResources>;
  /** Records the stage's dispatches. Allocates nothing. Live parameters that changed are written to the queue here. */
  encode(pass: GPUComputePassEncoder, moment: Moment): void;
  /** Frees everything of the pool it was built in. */
  destroy(): void;
}

/** A stage's CPU twin made ready for one frame shape: scratch is allocated here, not per frame. */
export interface Twin {
  run(frame: CpuFrame, moment: Moment): void;
}

/**
 * What a stage is for, which is where it stands in a chain that nobody ordered: depth into better depth, depth into what is shown
 * of it, depth into colour, depth into points, points into a picture.
 */
export type Role = "filter" | "view" | "colour" | "points" | "picture";

/** One stage: a value. A pipeline is a list of them. */
export interface Stage {
  /** By which a pipeline knows it: its kind, unless it was given another. */
  readonly name: string;
  /** Which of the registry's stages it is. */
  readonly kind: string;
  /** What a person calls it, short. */
  readonly title: string;
  /** One line for a person. */
  readonly summary: string;
  readonly role: Role;
  readonly schema: Schema;
  /** As they were set. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** As the stage goes by them: less of some where it was told to `ease`. */
  readonly inForce: Readonly<Record<string, ParameterValue>>;
  /** How many steps of quality it can give up for time on a backend (see `Easing`), and how many it does; none at first. */
  easingSteps(onGpu: boolean): number;
  ease(steps: number): void;
  /** Counts the changes that need a rebuild; a change of `live` parameters leaves it alone. */
  readonly revision: number;
  /** Counts all changes, those of `live` parameters too: what the stage left before is out of date. */
  readonly changes: number;
  /** Changes parameters. Throws a `ParameterError` that names the parameter, what it may be and what was given. */
  set(changes: Readonly<Record<string, unknown>>): void;
  /**
   * All parameters but those that a viewer sets go back to their defaults, or to what the stage knows for a preset; with a name,
   * that one alone.
   */
  reset(preset?: Preset, parameter?: string): void;
  /** What a parameter would be if nobody had set it: its default, where the others are as they are, or what the preset says. */
  standing(parameter: string, preset?: Preset): ParameterValue | undefined;
  /** Whether frames before this one show in what it leaves. */
  readonly remembers: boolean;
  /** How far the kernels' depth may be from the twin's, in units of the frame. */
  readonly depthTolerance: number;
  /** What `depthloom tune` can choose in it, if anything. */
  readonly tuning: TuningSpace | undefined;
  /** Whether there is anything to do with frames of this shape. Where not, a pipeline leaves the stage out. */
  needed(shape: FrameShape): boolean;
  /** The shape of the frames it leaves, where those it is given have this one: another only of a stage that changes the image's size or lens. */
  leaves(shape: FrameShape): FrameShape;
  /**
   * `overrides` are what a tuning chose; what they leave open takes the default for the device. Throws a `TuningError`.
   * Built once more in the same `pool`, it keeps what fits; it is for the caller to `finish` that. Without one it gets its own.
   */
  build(
    device: GPUDevice,
    shape: FrameShape,
    input: FrameResources,
    overrides?: Overrides,
    pool?: Pool,
  ): Promise<BuiltStage>;
  /** `before` is one that it made and that is not run any more: its memory is used again where it fits. */
  twin(shape: FrameShape, before?: Twin): Twin;
}

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
      return Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, check(name, schema, key, value)]));
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

/** A parameter that does not exist or cannot have the value given. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
}

function check(stage: string, schema: Schema, key: string, value: unknown): ParameterValue {
  const parameter = Object.hasOwn(schema, key) ? schema[key] : undefined;
  if (!parameter) {
    throw new ParameterError(
      `${stage} has no parameter ${short(key, 60)}; it has ${Object.keys(schema).join(", ") || "none"}`,
    );
  }
  const parsed = parameter.parse(value);
  if (parsed === undefined) {
    throw new ParameterError(`${stage}.${key} must be ${parameter.expects}, not ${shown(value)}`);
  }
  return parsed;
}
