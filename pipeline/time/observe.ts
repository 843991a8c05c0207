import type { Passage } from "../run/runner.ts";
import type { Governor } from "./governor.ts";
import type { Statistics } from "./statistics.ts";
import type { Trace } from "./trace.ts";

/** Puts a timed passage's times where they belong when they are told; `isCurrent` says whether they are of the stages that run now. */
export function observe(
  passage: Passage,
  index: number,
  done: Promise<unknown>,
  {
    statistics,
    trace,
    governor,
  }: { readonly statistics: Statistics; readonly trace: Trace; readonly governor: Governor },
  isCurrent: () => boolean,
): void {
  statistics.upload.push(passage.uploadMs);
  const ended = done.then(() => performance.now());
  void Promise.all([passage.timing, ended]).then(
    ([timing, doneMs]) => {
      if (!timing) statistics.discarded++;
      if (!timing || !isCurrent()) return;
      statistics.record(timing);
      statistics.queueWait.push(Math.max(0, doneMs - passage.startMs - passage.uploadMs - timing.totalMs));
      trace.record(passage.startMs, index, timing);
      governor.frame(timing.totalMs, doneMs);
    },
    // The device is gone, which the stream is told.
    () => {},
  );
}
