import type { ColorArray, DepthArray, FrameShape } from "../sources/frame.ts";
import type { Moment } from "./moment.ts";
import type { SensorNoise } from "./noise.ts";
import type { ParameterValue, Schema } from "./parameters.ts";
import type { Pool } from "./pool.ts";
import type { Preset } from "./presets.ts";
import type { FrameResources } from "./resources.ts";
import type { Overrides, TuningSpace } from "./tuning.ts";

/** Compacted points on the CPU: four words a point, as on the GPU (see `PointCloud` in resources.ts). */
export interface CpuPoints {
  /**
   * x, y, z in metres in the sensor's frame (x right, y down, z forward), then the colour's bits. Only the first `count` points
   * mean anything.
   */
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
  /** Ends what it has beside memory, a thread: it is not run any more, nor is one made with it as `before`. */
  destroy?(): void;
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
  ease(steps: number, onGpu: boolean): void;
  /** Counts the changes that need a rebuild; a change of `live` parameters leaves it alone. */
  readonly revision: number;
  /** Counts all changes, those of `live` parameters too: what the stage left before is out of date. */
  readonly changes: number;
  /** Changes parameters. Throws a `ParameterError` that names the parameter, what it may be and what was given. */
  set(changes: Readonly<Record<string, unknown>>): void;
  /** Defaults go by this noise of a sensor from now on, or by none; what was chosen stays. See `estimateNoise`. */
  suit(noise: SensorNoise | undefined): void;
  /**
   * All parameters but those that a viewer sets go back to their defaults, or to what the stage knows for a preset; with a name,
   * that one alone. Throws a `ParameterError` for a name that there is not, as `standing` does.
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
  /**
   * The shape of the frames it leaves, where those it is given have this one: another only of a stage that changes the image's size
   * or lens.
   */
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
  /** `before` is one that it made and that is not run any more: what it has goes over to the new one where it fits, or is ended. */
  twin(shape: FrameShape, before?: Twin): Twin;
}
