import type { ProcessedFrame } from "../../pipeline/index.ts";
import { Series } from "../../pipeline/time/statistics.ts";
import { isLive, type LiveReport, type Source } from "../../sources/index.ts";

/** A live stream's report for `--json`. */
export type LiveDocument = LiveReport & {
  /** The time from capture until the stages are done, for frames with time stamps, less the difference of the clocks. */
  readonly doneMs: { readonly p50: number; readonly p95: number; readonly max: number } | null;
};

/** Measures the frames of a live source; does nothing for a recording. */
export class LiveWatch {
  readonly #done = new Series();

  constructor(readonly source: Source) {}

  /** Call it when a frame has been handed to the stages; `idle` resolves when they are done. */
  submitted({ timestamp }: ProcessedFrame, idle: Promise<unknown>): void {
    if (!isLive(this.source)) return;
    idle.then(
      () => this.#done.push(Date.now() - timestamp),
      () => {},
    );
  }

  get document(): LiveDocument | null {
    if (!isLive(this.source)) return null;
    const { report } = this.source;
    const { p50Ms, p95Ms, maxMs } = this.#done.summary();
    const late = (ms: number) => Math.max(0, ms - report.clockSkewMs);
    const known = report.latencyMs !== null && this.#done.length > 0;
    return { ...report, doneMs: known ? { p50: late(p50Ms), p95: late(p95Ms), max: late(maxMs) } : null };
  }
}
