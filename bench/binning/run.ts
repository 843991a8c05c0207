import type { StudyOptions } from "../options.ts";
import { runStudy } from "../study.ts";
import type { Log } from "../types.ts";
import { type BinningTimes, measureBinning } from "./measure.ts";
import { binningPlan } from "./plan.ts";
import { binningPage, binningTable } from "./report.ts";

/** Runs `bench binning`; a test measures less than `binningPlan`. */
export const runBinning = (options: StudyOptions, log: Log, plan = binningPlan): Promise<number> =>
  runStudy(
    {
      measure: (gpu, given, say, signal) => measureBinning(gpu, plan(gpu, given, say), say, signal),
      right: ({ rows }: BinningTimes) => rows.every(({ checked }) => checked),
      table: binningTable,
      page: binningPage,
    },
    options,
    log,
  );
