import { writeFileSync } from "node:fs";
import type { Gpu } from "../pipeline/device/gpu.ts";
import { openGpu } from "../pipeline/device/open.ts";
import { adapterOf } from "./adapter.ts";
import { machineHere } from "./machine.ts";
import type { StudyOptions } from "./options.ts";
import type { Adapter, Log, Machine } from "./types.ts";

/** A set of measurements that answers a question about a device. Its `measure` runs in Node and in a page. */
export interface Study<Options extends StudyOptions, Found> {
  measure(gpu: Gpu, options: Options, log: Log, signal?: AbortSignal): Promise<Found>;
  /** Whether every output that was checked was right. */
  right(found: Found): boolean;
  /** The results as text. */
  table(found: Found): string;
  /** The results as a self-contained page. */
  page(found: Found, machine: Machine, adapter: Adapter): string;
}

/** Runs a study as a command: prints text or JSON, writes the files asked for. Returns exit status 1 if an output was wrong. */
export async function runStudy<Options extends StudyOptions, Found extends object>(
  study: Study<Options, Found>,
  options: Options,
  log: Log,
): Promise<number> {
  const gpu = (await openGpu(options.adapter)) ?? (await openGpu("software"));
  gpu.device.addEventListener("uncapturederror", ({ error }) => log(`WebGPU: ${error.message}`));
  try {
    const found = await study.measure(gpu, options, log);
    const [machine, adapter] = [machineHere(), adapterOf(gpu)];
    const json = JSON.stringify({ machine, adapter, ...found });
    if (options.out) writeFileSync(options.out, `${json}\n`);
    if (options.html) writeFileSync(options.html, study.page(found, machine, adapter));
    process.stdout.write(`${options.json ? json : study.table(found)}\n`);
    return study.right(found) ? 0 : 1;
  } finally {
    await gpu.destroy();
  }
}
