import type { DepthFrame, FrameShape } from "../../sources/frame.ts";
import type { FrameResources } from "../../stages/resources.ts";
import type { CpuFrame, CpuPicture, CpuPoints, Stage } from "../../stages/stage.ts";
import type { FrameTiming } from "../frame.ts";

/** A stage that takes part, and whether its twin stands in for its kernels. */
export interface ActiveStage {
  readonly stage: Stage;
  readonly onCpu: boolean;
}

/** What one frame's passage gives. */
export interface Passage {
  /** When the frame was handed over, `performance.now()`. */
  readonly startMs: number;
  readonly uploadMs: number;
  /** `null` inside when the frame was not sampled or its stamps were unusable. */
  readonly timing: Promise<FrameTiming | null>;
}

/** The stages made ready for one frame shape: buffers, pipelines and scratch are allocated here and nowhere later. */
export interface Runner {
  readonly shape: FrameShape;
  readonly resources: FrameResources | null;
  readonly cpu: CpuFrame | null;
  /** Takes a frame through all stages. `sampled` frames are timed. */
  run(frame: DepthFrame, sampled: boolean): Promise<Passage>;
  /** Runs the stages from number `from` again, on what the stages before left of the last frame. */
  rerun(from: number): Promise<void>;
  /** Resolves when everything submitted so far is done. */
  done(): Promise<unknown>;
  readDepth(): Promise<DepthFrame["depth"]>;
  readPoints(): Promise<CpuPoints>;
  readPicture(): Promise<CpuPicture>;
  destroy(): void;
}

export const UNTIMED: Promise<null> = Promise.resolve(null);

/** A result was asked for that no stage of the pipeline makes. */
export function missing(what: "points" | "picture"): Error {
  const stage = what === "points" ? "compact" : "dofSplat";
  return new Error(`this pipeline makes no ${what}: put ${stage} among its stages`);
}
