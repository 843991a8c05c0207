import type { Gpu } from "../../../pipeline/device/gpu.ts";
import type { StudyOptions } from "../../cli/study.ts";
import { runStudy } from "../study.ts";
import type { Log } from "../types.ts";
import { type AtomicTimes, measureAtomics } from "./measure.ts";
import { atomicCases } from "./plan.ts";
import { atomicsPage, atomicsTable } from "./report.ts";

/** Invocations that fill a large GPU; a software GPU runs one after the other anyway. */
const MOST = { hardware: 2 ** 18, software: 2 ** 12 };

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
  const cases = atomicCases(gpu.software ? MOST.software : MOST.hardware, options.quick ?? false);
  const effort = {
    trials: options.trials ?? (options.quick || gpu.software ? 5 : 25),
    targetUs: gpu.software ? 5000 : 500,
    budgetMs: options.quick ? 50 : 300,
  };
  return measureAtomics(gpu, cases, effort, log, { signal, warmMs: gpu.software ? 0 : 20 });
}
