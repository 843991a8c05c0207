import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { CompactionOptions } from "../options.ts";
import { runStudy } from "../study.ts";
import type { Log } from "../types.ts";
import { CHAMPIONS, FAMILY } from "./family.ts";
import { type CompactionTimes, measureCompaction } from "./measure.ts";
import { compactionPage, compactionTable } from "./report.ts";

const powers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => 2 ** (first + i));

/** Runs `bench compaction`. */
export const runCompaction = (options: CompactionOptions, log: Log): Promise<number> =>
  runStudy(
    {
      measure,
      right: ({ rows }: CompactionTimes) => rows.every(({ checked }) => checked),
      table: compactionTable,
      page: compactionPage,
    },
    options,
    log,
  );

function measure(gpu: Gpu, options: CompactionOptions, log: Log, signal?: AbortSignal): Promise<CompactionTimes> {
  const { maxStorageBufferBindingSize, maxBufferSize } = gpu.device.limits;
  const most = Math.min(maxStorageBufferBindingSize, maxBufferSize) / 4;
  const wanted = options.lengths ?? (options.quick ? powers(12, 16) : powers(10, gpu.software ? 22 : 26));
  for (const length of wanted.filter((one) => one > most)) {
    log(`${length} words: left out: a binding has at most ${most} words on this device`);
  }
  const effort = {
    trials: options.trials ?? (options.quick || gpu.software ? 5 : 15),
    targetUs: gpu.software ? 10_000 : 1000,
    budgetMs: options.quick ? 100 : 1000,
  };
  const plan = {
    contenders: options.family ? FAMILY : CHAMPIONS,
    lengths: wanted.filter((length) => length <= most),
    data: ["structured", "random"] as const,
    effort,
  };
  return measureCompaction(gpu, plan, log, signal);
}
