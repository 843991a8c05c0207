import type { Governor } from "../time/governor.ts";
import type { Statistics } from "../time/statistics.ts";
import type { FrameWay, Trace } from "../time/trace.ts";
import type { RunTiming } from "./runner.ts";

/**
 * Records a sampled frame's times in statistics, trace and governor once `timing` and `done` arrive. `isCurrent` says whether they still
 * belong to the stages that run now.
 */
export function observe(
  way: Omit<FrameWay, "waitMs" | "dropped">,
  timing: RunTiming["timing"],
  done: Promise<unknown>,
  {
    statistics,
    trace,
    governor,
  }: { readonly statistics: Statistics; readonly trace: Trace; readonly governor: Governor },
  isCurrent: () => boolean,
): void {
  const ended = done.then(() => performance.now());
  void Promise.all([timing, ended]).then(
    ([timing, doneMs]) => {
      if (!isCurrent()) return;
      if (!timing) {
        statistics.discarded++;
        return;
      }
      const { startMs, prepareMs, uploadMs } = way;
      // The GPU's clock may count more for the stages than has passed on the wall clock.
      const waitMs = Math.max(0, doneMs - startMs - prepareMs - uploadMs - timing.totalMs);
      statistics.record(timing);
      statistics.prepare.push(prepareMs);
      statistics.upload.push(uploadMs);
      statistics.queueWait.push(waitMs);
      statistics.total.push(prepareMs + uploadMs + waitMs + timing.totalMs);
      trace.record({ ...way, waitMs, dropped: statistics.dropped }, timing);
      governor.frame(timing.totalMs, doneMs);
    },
    // The device is lost; the stream reports that itself.
    () => {},
  );
}
