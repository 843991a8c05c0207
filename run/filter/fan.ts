import { Outlet } from "../../core/outlet.ts";
import { wayOf } from "../../core/way.ts";
import { FilteredFrames, placed } from "../../pipeline/filtered.ts";
import type { Pipeline } from "../../pipeline/index.ts";
import { Series } from "../../pipeline/time/statistics.ts";
import type { Source } from "../../sources/index.ts";
import type { FrameResults, Output } from "../replay/output.ts";
import type { RunResult } from "../request.ts";
import type { Sink } from "./sink.ts";

/** Hands each filtered frame to all that take it: none waits for another. */
export class Fan implements Output {
  readonly wantsPoints = false;
  readonly wantsPicture = false;
  readonly inOrder = true;
  /** The time from a frame's arrival until all have taken it, ms. */
  readonly lateMs = new Series();
  #filtered: FilteredFrames | undefined;
  readonly #outlets: readonly Outlet[];
  readonly #toFile: Outlet;
  /** The index of the newest frame, and whether the source began again before it. */
  #last = -1;
  #again = false;

  constructor(
    readonly sinks: readonly Sink[],
    /** A file that is written meanwhile. */
    readonly file: Output | undefined,
    /** How many frames may wait for each output; `Infinity` where the source waits for all of them instead. */
    readonly backlog: number,
    /** Whether the source was interrupted before its end. */
    readonly isCut: () => boolean,
    /** Whether the source is a recording that is played again and again: the file gets the first round, since the others have its times. */
    readonly loops: boolean,
  ) {
    this.#outlets = sinks.map(() => new Outlet(backlog));
    this.#toFile = new Outlet(backlog);
  }

  /** A file alone is begun again where depth outgrows its unit; frames that a sink was given cannot be taken back. */
  get everyRound(): boolean {
    return this.sinks.length > 0;
  }

  /** Whether the file has all of the source's frames, unless the run failed. */
  get isWhole(): boolean {
    return (this.loops && this.#again) || !this.isCut();
  }

  /** Frames that each sink, and at last the file, was too slow for. */
  get leftOut(): readonly number[] {
    return [...this.#outlets, this.#toFile].map(({ leftOut }) => leftOut);
  }

  get lost(): readonly string[] {
    return this.file?.lost ?? [];
  }

  get had(): number {
    return this.file?.had ?? 0;
  }

  /** Sinks are given every frame. */
  has(index: number): boolean {
    return this.sinks.length === 0 && this.file?.has?.(index) === true;
  }

  async begin(pipeline: Pipeline, source: Source): Promise<void> {
    this.#filtered = FilteredFrames.of(pipeline);
    await this.file?.begin(pipeline, source);
  }

  async write(results: FrameResults): Promise<void> {
    const { frame, depth, pose } = results;
    const broken = [...this.#outlets, this.#toFile].find(({ failed }) => failed !== undefined);
    if (broken) throw broken.failed;
    const filtered = this.#filtered?.of(frame) ?? frame.source;
    const made = placed({ ...filtered, depth }, pose);
    const offered = this.#outlets.map((outlet, i) => outlet.offer(async () => this.sinks[i]?.frame(made)));
    const { file } = this;
    this.#again ||= frame.index <= this.#last;
    this.#last = frame.index;
    if (file && !(this.loops && this.#again) && !file.has?.(frame.index))
      offered.push(this.#toFile.offer(() => file.write(results)));
    const taken = Promise.all(offered).then((each) => {
      const fromMs = wayOf(frame.source)?.fromMs;
      if (fromMs !== undefined && each.every(Boolean)) this.lateMs.push(Date.now() - fromMs);
    });
    if (this.backlog === Infinity) await taken;
  }

  async finish(result: Omit<RunResult, "error" | "done">): Promise<void> {
    const hurry = this.backlog < Infinity;
    const ends = this.sinks.map((sink, i) => this.#outlets[i]?.end(hurry, () => sink.close()));
    const isWhole = result.isWhole && this.isWhole;
    ends.push(this.#toFile.end(false, async () => this.file?.finish({ ...result, isWhole })));
    const failed = (await Promise.allSettled(ends)).find(({ status }) => status === "rejected");
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }
}
