import type { NdArray } from "ndarray";
import type { CameraPose, Pipeline, ProcessedFrame } from "../../pipeline/index.ts";
import { Series } from "../../pipeline/time/statistics.ts";
import type { DepthArray } from "../../sources/core/frame.ts";
import { wayOf } from "../../sources/core/way.ts";
import type { CpuPicture } from "../../stages/core/stage.ts";
import type { Output } from "../replay/output.ts";
import type { ReplayResult } from "../replay/request.ts";
import { FilteredFrames, placed } from "../report/filtered.ts";
import type { Sink } from "./sink.ts";

/** Hands each filtered frame to all that take it. */
export class Fan implements Output {
  readonly wantsPoints = false;
  readonly wantsPicture = false;
  readonly inOrder = true;
  readonly everyRound = true;
  /** The time from a frame's arrival until all have taken it, ms. */
  readonly lateMs = new Series();
  #filtered: FilteredFrames | undefined;

  constructor(
    readonly sinks: readonly Sink[],
    /** A file that is written meanwhile. */
    readonly file: Output | undefined,
  ) {}

  get lost(): readonly string[] {
    return this.file?.lost ?? [];
  }

  async begin(pipeline: Pipeline): Promise<void> {
    this.#filtered = new FilteredFrames(pipeline);
    await this.file?.begin(pipeline);
  }

  async write(
    frame: ProcessedFrame,
    fps: number,
    depth: DepthArray,
    points: NdArray<Float32Array> | undefined,
    picture: CpuPicture | undefined,
    pose: CameraPose | undefined,
  ): Promise<void> {
    const filtered = this.#filtered?.of(frame) ?? frame.source;
    const made = placed({ ...filtered, depth }, pose);
    await Promise.all(this.sinks.map((sink) => sink.frame(made)));
    const fromMs = wayOf(frame.source)?.fromMs;
    if (fromMs !== undefined) this.lateMs.push(Date.now() - fromMs);
    await this.file?.write(frame, fps, depth, points, picture, pose);
  }

  async finish(result: Omit<ReplayResult, "error" | "done">): Promise<void> {
    await Promise.all([this.file?.finish(result), ...this.sinks.map((sink) => sink.close())]);
  }
}
