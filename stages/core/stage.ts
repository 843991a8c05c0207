import type { ColorArray, DepthArray, FrameShape, StereoPair } from "../../core/frame.ts";
import type { SensorNoise } from "./noise.ts";
import type { Changes, ParameterValues, SchemaOf } from "./parameters.ts";
import type { Pool } from "./pool.ts";
import type { CameraPose } from "./pose.ts";
import type { Preset } from "./presets.ts";
import type { FrameContext, FrameResources } from "./resources.ts";
import type { Overrides, TuningSpace } from "./tuning.ts";

/** Compacted points on the CPU: four 32-bit words per point, as on the GPU (see `PointCloud` in resources.ts). */
export interface CpuPoints {
  /**
   * x, y, z in metres in the sensor's frame (x right, y down, z forward), then the colour's bits. Only the first `count` points are valid.
   */
  readonly floats: Float32Array;
  /** The same memory as words: word 4·i + 3 is the colour of point i, r | g << 8 | b << 16 | a << 24. */
  readonly words: Uint32Array;
  /** Number of points. */
  count: number;
}

/**
 * The rendered picture on the CPU, row by row: RGBA bytes, and the distance along the optical axis in metres (0 where nothing was drawn).
 */
export interface CpuPicture {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Four bytes per pixel. */
  readonly rgba: Uint8ClampedArray;
  /** Metres; 0 where nothing was drawn. */
  readonly depth: Float32Array;
}

/** The frame that twins hand on when stages run on the CPU. A twin replaces fields; it never writes into an array that it received. */
export interface CpuFrame {
  /** Filtered depth. */
  depth: DepthArray;
  /** Colours, if the frame has any. */
  color: ColorArray | undefined;
  /** Points, if a stage makes any. */
  points: CpuPoints | undefined;
  /** The picture, if a stage makes one. */
  picture: CpuPicture | undefined;
  /** The two images that depth can be matched from, if the frame has them. */
  pair?: StereoPair | undefined;
  /** The source's depth, as in `FrameResources`. */
  raw?: DepthArray | undefined;
  /** Depth to show in place of `depth`, as in `FrameResources`. */
  shown?: DepthArray | undefined;
  /** The camera's pose, if a stage finds one; valid until the next frame. */
  pose?: CameraPose | undefined;
}

/** What `Stage.build` is given. */
export interface BuildOptions {
  /** The device, where the input is, too. */
  readonly device: GPUDevice;
  /** The shape of the frames that the stage gets. */
  readonly shape: FrameShape;
  /** The buffers that the stages before it leave. */
  readonly input: FrameResources;
  /** What tuning chose. Knobs without an override take the device's default. */
  readonly overrides?: Overrides | undefined;
  /** A rebuild in the same pool reuses its objects; the caller then calls `pool.finish`. Default: a pool of the stage's own. */
  readonly pool?: Pool | undefined;
}

/** What a definition's `build` is given. */
export interface BuildContext<P extends object = ParameterValues> extends BuildOptions {
  /** A later call of `set` changes live parameters here; after a change of any other parameter the stage is built again. */
  readonly parameters: P;
  /** A value for every knob of the definition's `tuning`. */
  readonly overrides: Overrides;
  /** Makes the stage's GPU objects. */
  readonly pool: Pool;
}

/** A stage built for one device and frame shape. */
export interface BuiltStage {
  /** The resources that the stage replaces or adds for the stages after it. */
  readonly output: Partial<FrameResources>;
  /** Writes changed live parameters to the GPU queue and records the stage's dispatches. Makes no GPU object. */
  encode(pass: GPUComputePassEncoder, context: FrameContext): void;
  /** Frees all objects of the pool that the stage was built in. */
  destroy(): void;
}

/** A stage's CPU twin for one frame shape. The twin makes its arrays of a frame's size when it is made, never per frame. */
export interface Twin {
  /** Takes a frame through the stage: replaces the fields that the stage changes. */
  run(frame: CpuFrame, context: FrameContext): void;
  /** Ends the twin's thread, if it has one. Call this when the twin will neither run again nor be passed on as `before`. */
  destroy?(): void;
}

/**
 * What a stage does, which also decides its place in the default order: "filter" improves depth, "view" chooses the depth to show, "colour"
 * makes colours from depth, "points" makes points from depth, "picture" draws points.
 */
export type Role = "filter" | "view" | "colour" | "points" | "picture";

/** What a stage may add to a frame: "pose" is the camera's, "depth" is matched from the frame's pair. */
export type Gift = "pose" | "depth";

/**
 * One stage, a value. A pipeline is a list of stages. `P` gives the names and types of the parameters: `median()` is a `Stage<{ size: 3 | 5
 * }>`. Plain `Stage` is any stage; its `schema` describes its parameters at run time.
 */
export interface Stage<P extends ParameterValues = ParameterValues> {
  /** Identifies the stage in a pipeline. Default: `kind`. */
  readonly name: string;
  /** The `stageName` of the factory that made the stage. */
  readonly kind: string;
  /** A short name for people. */
  readonly title: string;
  /** One line for people that says what the stage does. */
  readonly summary: string;
  /** What the stage does, which also decides its place in the default order. */
  readonly role: Role;
  /** The parameters, by name. */
  readonly schema: SchemaOf<P>;
  /** The current values: those that were set, and defaults for the rest. */
  readonly parameters: Readonly<P>;
  /** The values that the stage computes with: `parameters`, with some lowered while `ease` gives up quality to save time. */
  readonly effective: Readonly<P>;
  /** How many steps of quality the stage can give up on a backend (see `Easing`). */
  easingSteps(onGpu: boolean): number;
  /** Gives up this many steps of quality, until the next call. */
  ease(steps: number, onGpu: boolean): void;
  /** Counts the changes that need a rebuild. A change of a `live` parameter does not count. */
  readonly revision: number;
  /** Counts all changes, of `live` parameters too. After a change the stage's last output is out of date. */
  readonly changes: number;
  /** Changes parameters. Throws a `ParameterError` that names the parameter, the accepted values and the value given. */
  set(changes: Changes<P>): void;
  /** Makes the defaults follow a sensor's noise, or no sensor if `undefined`. Values that were set stay. `estimateNoise` measures noise. */
  applyNoise(noise: SensorNoise | undefined): void;
  /** Makes the defaults suit whether a later stage `averages`; until the first call they suit one that does. A pipeline calls this. */
  applyAverage(isAveraged: boolean): void;
  /**
   * Resets the parameters, except those with `fromView`, to the preset's values or else the defaults. With a name, resets that parameter
   * alone. Throws a `ParameterError` for a name that the schema lacks.
   */
  reset(preset?: Preset, parameter?: keyof P & string): void;
  /**
   * The value that a parameter would have if it had not been set: the preset's, or else the default given the other values. Throws a
   * `ParameterError` for a name that the schema lacks.
   */
  defaultOf<K extends keyof P & string>(parameter: K, preset?: Preset): P[K];
  /** Whether the stage's output depends on earlier frames. */
  readonly remembers: boolean;
  /** What the stage adds to a frame; `undefined` if it only changes what there is. */
  readonly gives: Gift | undefined;
  /** Whether the stage takes a mean over time, which leaves little of the noise that the stages before it leave. */
  readonly averages: boolean;
  /** Whether defaults of the stage can depend on a sensor's noise (`applyNoise`). */
  readonly followsNoise: boolean;
  /** Whether the stage leaves depths between those that it gets, so that a finer unit than the source's pays. */
  readonly smooths: boolean;
  /** How far the kernels' depth may differ from the twin's, in units of the frame. */
  readonly depthTolerance: number;
  /** The most by which red, green or blue of a pixel may differ between kernel and twin, in steps of 1/255. */
  readonly colorTolerance: number;
  /** The choices of `depthloom tune`, if the stage has any. */
  readonly tuning: TuningSpace | undefined;
  /** Whether the stage has anything to do for frames of this shape. A pipeline skips a stage that has nothing to do. */
  needed(shape: FrameShape): boolean;
  /** The shape of the frames that the stage leaves for frames of this shape. The shapes differ only if the stage changes size or lens. */
  leaves(shape: FrameShape): FrameShape;
  /** Builds the stage. Throws a `TuningError` for overrides that do not fit, and a `GpuError` where the device's limits are too small. */
  build(options: BuildOptions): Promise<BuiltStage>;
  /**
   * Makes a CPU twin. `before` is an earlier twin of this stage that will not run again: the new twin takes over its memory, or ends it.
   */
  twin(shape: FrameShape, before?: Twin): Twin;
}
