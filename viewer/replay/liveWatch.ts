import type { ProcessedFrame } from "../../pipeline/index.ts";
import { Series } from "../../pipeline/time/statistics.ts";
import { isLive, type LiveReport, type Source } from "../../sources/index.ts";

/** How a live stream fared, as `--json` tells it. */
export type LiveDocument = LiveReport & {
  /** From capture until the stages are done, where frames say when they were captured; clocks' difference taken off. */
  readonly doneMs: { readonly p50: number; readonly p95: number; readonly max: number } | null;
};

/** Watches the frames of a live source; of a recording it has nothing to tell. */
export class LiveWatch {
  readonly #done = new Series();

  constructor(readonly source: Source) {}

  /** A frame has been handed to the stages; `idle` resolves when they are done. */
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
