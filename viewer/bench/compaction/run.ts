import { writeFileSync } from "node:fs";
import { openGpu } from "../../../pipeline/device/open.ts";
import type { CompactionOptions } from "../../cli/compaction.ts";
import { adapterOf, machineHere } from "../machine.ts";
import type { Log } from "../types.ts";
import { CHAMPIONS, FAMILY } from "./family.ts";
import { measureCompaction } from "./measure.ts";
import { compactionPage, compactionTable } from "./report.ts";

const powers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => 2 ** (first + i));

/** Runs `bench compaction`; returns exit status 1 if an output was wrong. */
export async function runCompaction(options: CompactionOptions, log: Log): Promise<number> {
  const gpu = (await openGpu(options.adapter)) ?? (await openGpu("software"));
  gpu.device.addEventListener("uncapturederror", ({ error }) => log(`WebGPU: ${error.message}`));
  try {
    const { maxStorageBufferBindingSize, maxBufferSize } = gpu.device.limits;
    const most = Math.min(maxStorageBufferBindingSize, maxBufferSize) / 4;
    const usual = options.quick ? powers(12, 16) : powers(10, gpu.software ? 22 : 26);
    const wanted = options.lengths ?? usual;
    const lengths = wanted.filter((length) => length <= most);
    for (const length of wanted.filter((one) => one > most)) {
      log(`${length} words: left out: a binding has at most ${most} words on this device`);
    }
    const times = await measureCompaction(
      gpu,
      {
        contenders: options.family ? FAMILY : CHAMPIONS,
        lengths,
        data: ["structured", "random"],
        effort: {
          trials: options.trials ?? (options.quick || gpu.software ? 5 : 15),
          targetUs: gpu.software ? 10_000 : 1000,
          budgetMs: options.quick ? 100 : 1000,
        },
        warmMs: gpu.software ? 0 : 50,
      },
      log,
    );
    const report = { machine: machineHere(), adapter: adapterOf(gpu), ...times };
    if (options.out) writeFileSync(options.out, `${JSON.stringify(report, null, 1)}\n`);
    if (options.html) writeFileSync(options.html, compactionPage(report));
    process.stdout.write(`${options.json ? JSON.stringify(report) : compactionTable(report)}\n`);
    return times.rows.every(({ checked }) => checked) ? 0 : 1;
  } finally {
    await gpu.destroy();
  }
}
