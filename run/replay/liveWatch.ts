import type { ProcessedFrame } from "../../pipeline/index.ts";
import { Series } from "../../pipeline/time/statistics.ts";
import { type DepthFrame, isLive, type LiveReport, type Source } from "../../sources/index.ts";

/** A live stream's report for `--json`. */
export type LiveDocument = LiveReport & {
  /** The time from capture until the stages are done, for frames with time stamps, less the difference of the clocks. */
  readonly doneMs: { readonly p50: number; readonly p95: number; readonly max: number } | null;
  /** The part of `doneMs` from a frame's arrival until the stages are done. */
  readonly pipelineMs: { readonly p50: number; readonly p95: number; readonly max: number } | null;
};

/** Measures the frames of a live source; does nothing for a recording. */
export class LiveWatch {
  readonly #done = new Series();
  readonly #pipeline = new Series();
  /** When the frames arrived that are not done yet, by their indices. */
  readonly #arrived = new Map<number, number>();

  constructor(readonly source: Source) {}

  /** Call it when a frame has come from the source. */
  arrived({ index }: DepthFrame): void {
    if (isLive(this.source)) this.#arrived.set(index, Date.now());
  }

  /** Call it when a frame has been handed to the stages; `idle` resolves when they are done. */
  submitted({ timestamp, index }: ProcessedFrame, idle: Promise<unknown>): void {
    if (!isLive(this.source)) return;
    const arrivedMs = this.#arrived.get(index) ?? Date.now();
    // Frames before this one were dropped.
    for (const before of this.#arrived.keys()) if (before <= index) this.#arrived.delete(before);
    idle.then(
      () => {
        this.#done.push(Date.now() - timestamp);
        this.#pipeline.push(Date.now() - arrivedMs);
      },
      () => {},
    );
  }

  get document(): LiveDocument | null {
    if (!isLive(this.source)) return null;
    const { report } = this.source;
    const { p50Ms, p95Ms, maxMs } = this.#done.summary();
    const late = (ms: number) => Math.max(0, ms - report.clockSkewMs);
    const known = report.latencyMs !== null && this.#done.length > 0;
    const own = this.#pipeline.summary();
    const pipelineMs = this.#pipeline.length > 0 ? { p50: own.p50Ms, p95: own.p95Ms, max: own.maxMs } : null;
    return { ...report, pipelineMs, doneMs: known ? { p50: late(p50Ms), p95: late(p95Ms), max: late(maxMs) } : null };
  }
}
