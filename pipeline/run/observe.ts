import type { Governor } from "../time/governor.ts";
import type { Statistics } from "../time/statistics.ts";
import type { Trace } from "../time/trace.ts";
import type { RunTiming } from "./runner.ts";

/**
 * Records a sampled frame's times in statistics, trace and governor once they arrive. `isCurrent` says whether they still belong to the
 * stages that run now.
 */
export function observe(
  run: RunTiming,
  index: number,
  done: Promise<unknown>,
  {
    statistics,
    trace,
    governor,
  }: { readonly statistics: Statistics; readonly trace: Trace; readonly governor: Governor },
  isCurrent: () => boolean,
): void {
  const ended = done.then(() => performance.now());
  void Promise.all([run.timing, ended]).then(
    ([timing, doneMs]) => {
      if (!isCurrent()) return;
      if (!timing) {
        statistics.discarded++;
        return;
      }
      const { startMs, uploadMs } = run;
      const waitMs = Math.max(0, doneMs - startMs - uploadMs - timing.totalMs);
      statistics.record(timing);
      statistics.upload.push(uploadMs);
      statistics.queueWait.push(waitMs);
      statistics.done(doneMs - startMs);
      trace.record({ startMs, uploadMs, waitMs, index, dropped: statistics.dropped }, timing);
      governor.frame(timing.totalMs, doneMs);
    },
    // The device is lost; the stream reports that itself.
    () => {},
  );
}
