import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { StudyOptions } from "../options.ts";
import { runStudy } from "../study.ts";
import type { Log } from "../types.ts";
import { type AtomicTimes, measureAtomics } from "./measure.ts";
import { atomicCases, invocationsOf } from "./plan.ts";
import { atomicsPage, atomicsTable } from "./report.ts";

/** Runs `bench atomics`. */
export const runAtomics = (options: StudyOptions, log: Log): Promise<number> =>
  runStudy(
    {
      measure,
      right: ({ rows }: AtomicTimes) => rows.every(({ checked }) => checked),
      table: atomicsTable,
      page: atomicsPage,
    },
    options,
    log,
  );

function measure(gpu: Gpu, options: StudyOptions, log: Log, signal?: AbortSignal): Promise<AtomicTimes> {
  const cases = atomicCases(invocationsOf(gpu), options.quick ?? false);
  const effort = {
    trials: options.trials ?? (options.quick || gpu.software ? 5 : 25),
    targetUs: gpu.software ? 5000 : 500,
    budgetMs: options.quick ? 50 : 300,
  };
  return measureAtomics(gpu, cases, effort, log, signal);
}
