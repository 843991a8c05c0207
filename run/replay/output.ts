import type { NdArray } from "ndarray";
import type { DepthArray } from "../../core/frame.ts";
import type { CameraPose, Pipeline, ProcessedFrame } from "../../pipeline/index.ts";
import type { Source } from "../../sources/index.ts";
import type { CpuPicture } from "../../stages/core/stage.ts";
import type { RunResult } from "../request.ts";

/** What a run read back of a frame. */
export interface FrameResults {
  readonly frame: ProcessedFrame;
  /** The source's nominal frames per second. */
  readonly fps: number;
  readonly depth: DepthArray;
  readonly points: NdArray<Float32Array> | undefined;
  readonly picture: CpuPicture | undefined;
  readonly pose: CameraPose | undefined;
}

/** The destination of a replay's results. */
export interface Output {
  readonly wantsPoints: boolean;
  readonly wantsPicture: boolean;
  /** Whether `write` must be called in the order of the frames, each call after the one before is done. */
  readonly inOrder: boolean;
  /** Whether later rounds of a loop are written, too, so that no written frame can be taken back. */
  readonly everyRound?: boolean;
  /** How many of the written frames are safe if the process is killed; absent where all are. */
  readonly kept?: number;
  /** Losses: one line for each kind of result that the format cannot hold. */
  readonly lost?: readonly string[];
  /** How many frames an earlier run of the same command left here; absent where there are none. Known after `begin`. */
  readonly had?: number;
  /** Whether the results of a frame are there from that run, so that they need not be read back and written. */
  has?(index: number): boolean;
  /** Creates the destination, or fails, before anything runs; or takes up what an earlier run of the same command left. */
  begin(pipeline: Pipeline, source: Source): Promise<void>;
  write(results: FrameResults): Promise<void>;
  /**
   * Writes what concerns the whole run. Called once, also after a failure. Files have another name until then, and keep it unless the run
   * `isWhole`: neither failed nor interrupted before the source's end.
   */
  finish(result: Omit<RunResult, "error" | "done">): Promise<void>;
}
