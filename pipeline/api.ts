/// <reference lib="esnext.disposable" preserve="true" />
import type { Observable, OperatorFunction } from "rxjs";
import type { Abortable } from "../core/abort.ts";
import type { DepthFrame } from "../core/frame.ts";
import type { Source } from "../core/source.ts";
import type { Stage } from "../stages/core/stage.ts";
import type { Gpu } from "./device/gpu.ts";
import type { ProcessedFrame } from "./frame.ts";
import type { FramesOfOptions, Policy, ProcessOptions } from "./process.ts";
import type { Governor } from "./time/governor.ts";
import type { Statistics } from "./time/statistics.ts";
import type { Trace } from "./time/trace.ts";
import type { ProfileEntry } from "./tune/profile.ts";

/** A list of stages on one device, made by `createPipeline`. A pipeline processes one stream of frames at a time. */
export interface Pipeline {
  /** Times and counts of all frames so far. `reset` discards the times and keeps the counts. */
  readonly statistics: Pick<Statistics, "budgetMs" | "frames" | "dropped" | "unreadable" | "snapshot" | "reset">;
  /** The times of the newest timed frames, one by one. `toJSON` gives them in Chrome's trace format, which Perfetto opens. */
  readonly trace: Pick<Trace, "frames" | "newest" | "count" | "toJSON">;
  /** Lowers the quality of the picture, step by step, while frames take longer than the budget. */
  readonly governor: Pick<Governor, "on" | "suspended" | "snapshot">;
  /** Every `timeEvery`-th frame is timed. You may change this at any moment. */
  timeEvery: number;
  /** The device in use; `null` on the CPU backend. After a device loss this is the device that replaced the lost one. */
  readonly gpu: Gpu | null;
  /** Where the stages run now: after a lost GPU that nothing replaces, "cpu". */
  readonly backend: "webgpu" | "cpu";
  /** Aborts when the pipeline can take no more frames. The signal's reason is a `PipelineDestroyedError` or a `DeviceLostError`. */
  readonly signal: AbortSignal;
  /**
   * Whether stages are being rebuilt on the GPU after a change of parameters. Meanwhile frames of the policy "latest" run through the old
   * stages, so that no frame waits. `redraw` waits for the rebuilt stages.
   */
  readonly isBehind: boolean;
  /** The stages, in the order in which they run. */
  readonly stages: readonly Stage[];
  /** The overrides that tuning found fastest on this device, by stage. A stage without an entry uses its defaults. */
  readonly profiles: ReadonlyMap<string, ProfileEntry>;
  /**
   * The RxJS operator: depth frames in, processed frames out, under a policy. Throws an `OptionError` for invalid options. The returned
   * observable fails with an `OptionError` if this pipeline already processes another stream.
   */
  process(policy: Policy, options?: ProcessOptions): OperatorFunction<DepthFrame, ProcessedFrame>;
  /**
   * Does as `process`, for a loop that waits by itself: `for await (const frame of pipeline.frames(recording))`. The next frame runs when
   * the loop's body is done with this one, so that it can be read at any moment of the body. Leaving the loop ends the stream. Throws what
   * `process` throws, and the error that the stream fails with.
   */
  frames(source: Source | Observable<DepthFrame>, options?: FramesOfOptions): AsyncIterable<ProcessedFrame>;
  /**
   * Takes one frame through the stages, after the frames submitted before it. Rejects with a `FrameError` if the frame is malformed, and
   * with the reason of `signal` once that is aborted; a frame that still waits then does not run.
   */
  run(frame: DepthFrame, options?: Abortable): Promise<ProcessedFrame>;
  /**
   * Runs the last frame again, from the first stage whose parameters changed since it last ran. Stages that remember earlier frames keep
   * their memory as it is. Resolves when the GPU has finished; resolves with `null` if no frame has come yet.
   */
  redraw(): Promise<ProcessedFrame | null>;
  /** Switches a stage on or off, and chooses whether its kernels or its CPU twin run. Takes effect with the next frame. */
  configure(name: string, change: { readonly enabled?: boolean; readonly onCpu?: boolean }): void;
  /** Whether a stage is switched on. Throws an `OptionError` for a stage that the pipeline lacks. */
  isEnabled(name: string): boolean;
  /** Whether a stage's CPU twin runs in place of its kernels. Throws an `OptionError` for a stage that the pipeline lacks. */
  isOnCpu(name: string): boolean;
  /** Puts the named stages into this order, in the places that they occupy together. Takes effect with the next frame. */
  order(names: readonly string[]): void;
  /** Loads the tuning results saved since the pipeline was made. Takes effect with the next frame. */
  retune(): Promise<void>;
  /**
   * Resets counts, times and trace, because the next frames come from another source. Frames of the earlier source that still wait or are
   * being processed are not counted.
   */
  restart(): void;
  /** Reports to the statistics how many milliseconds it took to show a frame. The code that shows frames calls this. */
  presented(ms: number): void;
  /** Resolves when the GPU has finished everything submitted so far. */
  idle(): Promise<void>;
  /**
   * Ends the running stream with a `PipelineDestroyedError` and frees every buffer, and the device too if the pipeline opened it. Nothing
   * is allocated afterwards.
   */
  destroy(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
