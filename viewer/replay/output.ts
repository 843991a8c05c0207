import type { NdArray } from "ndarray";
import type { Pipeline, ProcessedFrame } from "../../pipeline/index.ts";
import type { DepthArray } from "../../sources/frame.ts";
import type { CpuPicture } from "../../stages/stage.ts";
import type { ReplayResult } from "./request.ts";

/** Where a replay's results go. */
export interface Output {
  readonly wantsPoints: boolean;
  readonly wantsPicture: boolean;
  /** Whether `write` has to be called in the order of the frames, each after the one before is done. */
  readonly inOrder: boolean;
  /** Of the frames that were written the first so many last, whatever comes; all of them where it does not say. */
  readonly kept?: number;
  /** Makes the place, or fails, before anything is run. */
  begin(pipeline: Pipeline): Promise<void>;
  write(
    frame: ProcessedFrame,
    fps: number,
    depth: DepthArray,
    points: NdArray<Float32Array> | undefined,
    picture: CpuPicture | undefined,
  ): Promise<void>;
  /** Writes what is about the whole run. Called once, also when it failed. */
  finish(result: Omit<ReplayResult, "error" | "done">): Promise<void>;
}
