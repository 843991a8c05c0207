import type { Gpu } from "../../../pipeline/device/gpu.ts";
import type { StudyOptions } from "../../cli/study.ts";
import { runStudy } from "../study.ts";
import type { Log } from "../types.ts";
import { type BinningTimes, measureBinning } from "./measure.ts";
import { binningPlan } from "./plan.ts";
import { binningPage, binningTable } from "./report.ts";

/** Runs `bench binning`. */
export const runBinning = (options: StudyOptions, log: Log): Promise<number> =>
  runStudy(
    {
      measure,
      right: ({ rows }: BinningTimes) => rows.every(({ checked }) => checked),
      table: binningTable,
      page: binningPage,
    },
    options,
    log,
  );

const measure = (gpu: Gpu, options: StudyOptions, log: Log, signal?: AbortSignal): Promise<BinningTimes> =>
  measureBinning(gpu, binningPlan(gpu, options, log), log, signal);
