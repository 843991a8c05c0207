import type { NdArray } from "ndarray";
import type { DepthArray, DepthFrame, FrameShape } from "../sources/frame.ts";
import type { FrameResources } from "../stages/resources.ts";
import type { CpuFrame, CpuPicture } from "../stages/stage.ts";

/** Which clock a time was read from. The two are never mixed in one number. */
export type Clock = "gpu" | "wall";

/** How long each stage of one frame took. */
export interface FrameTiming {
  readonly clock: Clock;
  /** Milliseconds, in the order of the stages. */
  readonly stages: readonly { readonly name: string; readonly ms: number }[];
  /** From the first stage's begin to the last one's end, ms. */
  readonly totalMs: number;
}

/** A frame that has been through the stages. */
export interface ProcessedFrame {
  readonly index: number;
  /** Milliseconds on the source's clock. */
  readonly timestamp: number;
  /** Of what the stages left: other than the source's where one of them changes the image's size. */
  readonly shape: FrameShape;
  /** The frame as it came from the source. */
  readonly source: DepthFrame;
  /** Frames dropped so far by the "latest" policy. */
  readonly dropped: number;
  /** GPU handles, in queue order: what you submit now sees this frame. `null` on the CPU backend. */
  readonly gpu: FrameResources | null;
  /** The CPU backend's arrays, valid until the next frame. `null` where the GPU has them. */
  readonly cpu: CpuFrame | null;
  /** Resolves with this frame's times if it was a sampled one and its timestamps came back in time, else with `null`. */
  readonly timing: Promise<FrameTiming | null>;
  /**
   * Copies of the results on the CPU: the explicit way off the frame's way. Call them synchronously when you are handed the
   * frame; once a newer frame was submitted its content is gone and they reject.
   */
  readDepth(): Promise<DepthArray>;
  /** Shape `[n, 4]`: x, y, z in metres, then the colour's word as the bits of a f32. Rejects if no stage made points. */
  readPoints(): Promise<NdArray<Float32Array>>;
  /** Rejects if no stage made a picture. */
  readPicture(): Promise<CpuPicture>;
  /**
   * Under "lossless": holds back the source until `work` has settled (a frame may overtake it, not two), so that a slow consumer
   * bounds the stream. Call it synchronously when you are handed the frame. Under "latest" it does nothing of use: frames drop.
   */
  waitUntil(work: Promise<unknown>): void;
}
