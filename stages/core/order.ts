import type { Stage } from "./stage.ts";

/**
 * Makes the defaults of stages that run in this order suit what those after them do. `runs` says which of them are switched on. Call it
 * where a list of stages is made or changed, since defaults that follow a sensor's noise then change as well.
 */
export function applyOrder(stages: readonly Stage[], runs: (stage: Stage) => boolean = () => true): void {
  let isAveraged = false;
  for (const stage of stages.toReversed()) {
    stage.applyAverage(isAveraged);
    isAveraged ||= stage.averages && runs(stage);
  }
}
