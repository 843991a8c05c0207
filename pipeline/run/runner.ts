import { OptionError } from "../../core/check.ts";
import type { DepthFrame, FrameShape, PairGeometry } from "../../core/frame.ts";
import type { CameraPose } from "../../stages/core/pose.ts";
import type { FrameContext, FrameResources } from "../../stages/core/resources.ts";
import type { CpuFrame, CpuPicture, CpuPoints, Stage } from "../../stages/core/stage.ts";
import type { Overrides } from "../../stages/core/tuning.ts";
import type { FrameTiming } from "../frame.ts";

/** An enabled stage, whether its CPU twin replaces its kernels, and the kernel overrides that tuning chose. */
export interface ActiveStage {
  readonly stage: Stage;
  readonly onCpu: boolean;
  /** The same object for as long as the choice does not change. */
  readonly overrides: Overrides;
}

/** What a frame has beside depth. */
export interface Holding {
  readonly color: boolean;
  /** The pair's two cameras; `undefined` without a pair. */
  readonly pair: PairGeometry | undefined;
}

export const holdingOf = ({ color, pair }: DepthFrame): Holding => ({ color: color !== undefined, pair });

/** The times of one frame's run. */
export interface RunTiming {
  /** When the frame was handed to the runner; ms of `performance.now()`. */
  readonly startMs: number;
  readonly uploadMs: number;
  /** Resolves with `null` if the frame was not sampled or its timestamps were unusable. */
  readonly timing: Promise<FrameTiming | null>;
}

/** Runs the stages of one pipeline. `prepare` allocates buffers, GPU pipelines and scratch memory; nothing else allocates. */
export interface Runner {
  readonly resources: FrameResources | null;
  readonly cpu: CpuFrame | null;
  /** The shape of the frames that the last stage leaves. */
  readonly shape: FrameShape | undefined;
  /**
   * Builds the stages that are new, that changed, or whose input resources changed; the others stay. Returns whether any was new or
   * changed. A stage that is replaced lives until `freeRetired`; if `prepare` throws, everything built before stays alive. With
   * `flows` it need not wait: the next frames may run through stages as they were until new ones are built (`isBehind`).
   */
  prepare(shape: FrameShape, has: Holding, stages: readonly ActiveStage[], flows?: boolean): Promise<boolean>;
  /** Whether stages are being rebuilt beside the frames. */
  readonly isBehind?: boolean;
  /** Runs a frame through all stages; times it if `sampled`. */
  run(frame: DepthFrame, context: FrameContext, sampled: boolean): Promise<RunTiming>;
  /** Runs the last frame again, from the first stage that changed since it last ran; that stage reads what the stages before it left. */
  rerun(frame: DepthFrame, context: FrameContext): Promise<void>;
  /** Resolves when all work submitted so far is finished. */
  done(): Promise<unknown>;
  freeRetired(): void;
  readDepth(): Promise<DepthFrame["depth"]>;
  readRaw(): Promise<DepthFrame["depth"]>;
  readPoints(): Promise<CpuPoints>;
  readPointCount(): Promise<number>;
  readPicture(): Promise<CpuPicture>;
  readPose(): Promise<CameraPose>;
  /** Frees everything. The next `prepare` builds all stages anew. */
  clear(): void;
}

export const UNTIMED: Promise<null> = Promise.resolve(null);

/** The error for reading a result that no stage of the pipeline makes. */
export function missing(what: "points" | "picture" | "pose"): OptionError {
  const stage = { points: "compact", picture: "dofSplat", pose: "track" }[what];
  return new OptionError(`this pipeline makes no ${what}: put ${stage} among its stages`);
}
