import type { DepthFrame, FrameShape } from "../../sources/frame.ts";
import type { Moment } from "../../stages/moment.ts";
import type { FrameResources } from "../../stages/resources.ts";
import type { CpuFrame, CpuPicture, CpuPoints, Stage } from "../../stages/stage.ts";
import type { Overrides } from "../../stages/tuning.ts";
import type { FrameTiming } from "../frame.ts";

/** A stage that takes part, whether its twin stands in for its kernels, and what a tuning chose for it. */
export interface ActiveStage {
  readonly stage: Stage;
  readonly onCpu: boolean;
  /** The same object for as long as the choice is the same. */
  readonly overrides: Overrides;
}

/** What one frame's passage gives. */
export interface Passage {
  /** When the frame was handed over, `performance.now()`. */
  readonly startMs: number;
  readonly uploadMs: number;
  /** `null` inside when the frame was not sampled or its stamps were unusable. */
  readonly timing: Promise<FrameTiming | null>;
}

/** The stages of one pipeline, made ready: buffers, pipelines and scratch are allocated in `prepare` and nowhere later. */
export interface Runner {
  readonly resources: FrameResources | null;
  readonly cpu: CpuFrame | null;
  /** Of the frames that the last stage leaves. */
  readonly shape: FrameShape | undefined;
  /**
   * Builds what is not built yet, what changed, and what is handed something else since; the rest stays as it is. Says whether
   * anything was built. What it replaces lives until `freeRetired`, and where it throws, what was there before does.
   */
  prepare(shape: FrameShape, hasColor: boolean, stages: readonly ActiveStage[]): Promise<boolean>;
  /** Takes a frame through all stages. `sampled` frames are timed. */
  run(frame: DepthFrame, moment: Moment, sampled: boolean): Promise<Passage>;
  /** The last frame again: runs the first stage that changed since it last ran, and those after it, on what those before left. */
  rerun(frame: DepthFrame, moment: Moment): Promise<void>;
  /** Resolves when everything submitted so far is done. */
  done(): Promise<unknown>;
  freeRetired(): void;
  readDepth(): Promise<DepthFrame["depth"]>;
  readPoints(): Promise<CpuPoints>;
  readPicture(): Promise<CpuPicture>;
  /** Frees everything; `prepare` begins from nothing. */
  clear(): void;
}

export const UNTIMED: Promise<null> = Promise.resolve(null);

/** A result was asked for that no stage of the pipeline makes. */
export function missing(what: "points" | "picture"): Error {
  const stage = what === "points" ? "compact" : "dofSplat";
  return new Error(`this pipeline makes no ${what}: put ${stage} among its stages`);
}
