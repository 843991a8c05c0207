import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { StudyOptions } from "../options.ts";
import { runStudy } from "../study.ts";
import type { Log } from "../types.ts";
import { measureReads, type ReadsTimes } from "./measure.ts";
import { medianCases, readsSizes, windowCases } from "./plan.ts";
import { readsPage, readsTable } from "./report.ts";

/** Runs `bench reads`. */
export const runReads = (options: StudyOptions, log: Log): Promise<number> =>
  runStudy(
    {
      measure,
      right: ({ windows, medians }: ReadsTimes) => [...windows, ...medians].every(({ checked }) => checked),
      table: readsTable,
      page: readsPage,
    },
    options,
    log,
  );

function measure(gpu: Gpu, options: StudyOptions, log: Log, signal?: AbortSignal): Promise<ReadsTimes> {
  const quick = options.quick ?? false;
  const sizes = readsSizes(gpu, quick);
  const plan = {
    windows: windowCases(sizes, quick),
    medians: medianCases(sizes, quick),
    effort: {
      trials: options.trials ?? (quick || gpu.software ? 5 : 25),
      targetUs: gpu.software ? 5000 : 500,
      budgetMs: quick ? 50 : 300,
    },
  };
  return measureReads(gpu, plan, log, signal);
}
