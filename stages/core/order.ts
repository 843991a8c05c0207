import type { Stage } from "./stage.ts";

/**
 * Tells each stage whether a later one takes a mean over time, because the defaults that follow a sensor's noise depend on that. `runs`
 * says which stages are switched on. Call this function wherever a list of stages is made or changed.
 */
export function applyOrder(stages: readonly Stage[], runs: (stage: Stage) => boolean = () => true): void {
  let isAveraged = false;
  for (const stage of stages.toReversed()) {
    stage.applyAverage(isAveraged);
    isAveraged ||= stage.averages && runs(stage);
  }
}
