import type { NdArray } from "ndarray";
import type { Abortable } from "../core/abort.ts";
import type { DepthArray, DepthFrame, FrameShape } from "../core/frame.ts";
import type { CameraPose } from "../stages/core/pose.ts";
import type { FrameResources } from "../stages/core/resources.ts";
import type { CpuFrame, CpuPicture } from "../stages/core/stage.ts";
import type { DrawnPicture } from "./picture.ts";

/** The clock that a time was read from. One number never mixes the two. */
export type Clock = "gpu" | "wall";

/** The time that each stage of one frame took. */
export interface FrameTiming {
  /** The clock of all times below. */
  readonly clock: Clock;
  /** One entry per stage, in the order in which the stages ran; milliseconds. */
  readonly stages: readonly {
    /** The stage's name in the pipeline. */
    readonly name: string;
    /** Its time. */
    readonly ms: number;
  }[];
  /** Milliseconds from the begin of the first stage to the end of the last. */
  readonly totalMs: number;
}

/** A frame that has passed through the stages. */
export interface ProcessedFrame {
  /** The frame's position in its source, as in `DepthFrame`. */
  readonly index: number;
  /** Milliseconds on the source's clock. */
  readonly timestamp: number;
  /** Lens, size and unit of the depth that the stages left. The unit may be finer than the source's; stages may have changed the size. */
  readonly shape: FrameShape;
  /** The frame as the source delivered it. */
  readonly source: DepthFrame;
  /** How many frames the pipeline has dropped so far, and the source has skipped. */
  readonly dropped: number;
  /** GPU handles, in queue order: commands that you submit now see this frame. `null` on the CPU backend. */
  readonly gpu: FrameResources | null;
  /** The CPU backend's arrays, valid until the next frame. `null` on the WebGPU backend. */
  readonly cpu: CpuFrame | null;
  /** The picture, if a stage made one: `frame.picture?.drawTo(canvas)`. */
  readonly picture: DrawnPicture | undefined;
  /** Resolves with this frame's times if the frame was sampled and its timestamps came back; else with `null`. */
  readonly timing: Promise<FrameTiming | null>;
  /**
   * Reads the filtered depth back, shape `[height, width]`, in units of `shape.metresPerUnit`. This and the methods below named `read` copy
   * the frame's results to the CPU. Call them synchronously when you receive the frame; they reject once a newer frame was submitted,
   * which overwrites the results, and once `signal` is aborted.
   */
  readDepth(options?: Abortable): Promise<DepthArray>;
  /**
   * Reads back depth as it was before the filters, in units of `shape.metresPerUnit`: the source's, or what the stage stereo matched.
   */
  readRaw(options?: Abortable): Promise<DepthArray>;
  /**
   * Reads the points back, shape `[n, 4]`: x, y, z in metres, then the RGBA colour as the bits of a f32. Rejects if no stage makes points.
   */
  readPoints(options?: Abortable): Promise<NdArray<Float32Array>>;
  /** Reads back the number of points, without the points. Rejects if no stage makes points. */
  readPointCount(options?: Abortable): Promise<number>;
  /** Reads the picture back. Rejects if no stage makes a picture. */
  readPicture(options?: Abortable): Promise<CpuPicture>;
  /** Reads the camera's pose back. Rejects if no stage finds poses. */
  readPose(options?: Abortable): Promise<CameraPose>;
  /**
   * Under "lossless", holds the source back until `work` has settled, so that a slow consumer bounds the stream; one more frame may be
   * processed meanwhile. Call it synchronously when you receive the frame. Under "latest" the source is never held back; frames drop. If
   * `work` rejects, the stream ends with its error.
   */
  waitUntil(work: Promise<unknown>): void;
}
