import { messageOf } from "../../core/caught.ts";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import { createKernel } from "../../stages/core/author.ts";
import emptyCode from "../kernels/empty.wgsl?raw";
import { readWords } from "../measure/words.ts";
import { type ArithmeticKind, arithmeticRate } from "./arithmetic.ts";
import { measureMemory } from "./bandwidth.ts";
import { Probe } from "./probe.ts";
import type { Ceilings, MeasureOptions, MemoryRate, Rates } from "./types.ts";

/** The working sets in bytes: from what every cache holds to what none does. */
const SIZES = [2 ** 20, 2 ** 22, 2 ** 24, 2 ** 25, 2 ** 26, 2 ** 28];
const QUICK_SIZES = [2 ** 22, 2 ** 24, 2 ** 26, 2 ** 28];
const SOFTWARE_SIZES = [2 ** 18, 2 ** 21, 2 ** 23];

/** A measurement and its name. */
type Measurement = readonly [line: string, run: () => Promise<void>];

/**
 * Measures what a device can do at most, in some seconds. A kernel that leaves a wrong result, or that the device refuses, counts as 0 and
 * is named in `notes`.
 */
export async function measureCeilings(
  gpu: Gpu,
  { quick = false, progress, signal }: MeasureOptions = {},
): Promise<Ceilings> {
  const probe = new Probe(gpu, quick);
  const memory: MemoryRate[] = [];
  const rates = { f32: 0, i32: 0, logic: 0, both: 0 };
  let dispatchUs = 0;
  const notes: string[] = [];
  const arithmetic = (key: keyof Rates, kind: ArithmeticKind): Measurement => [
    `arithmetic: ${kind}`,
    async () => {
      rates[key] = await arithmeticRate(probe, kind);
    },
  ];
  const dispatches = async () => {
    dispatchUs = await dispatchTime(probe);
  };
  const steps: Measurement[] = [
    ["dispatches", dispatches],
    arithmetic("f32", "fma"),
    arithmetic("i32", "add"),
    arithmetic("logic", "logic"),
    arithmetic("both", "both"),
    ...upTo(gpu, gpu.software ? SOFTWARE_SIZES : quick ? QUICK_SIZES : SIZES).map((bytes): Measurement => {
      return [`memory: ${bytes / 2 ** 20} MiB`, async () => void memory.push(await measureMemory(probe, bytes))];
    }),
  ];
  try {
    for (const [i, [line, run]] of steps.entries()) {
      signal?.throwIfAborted();
      progress?.(line, i / steps.length);
      await run().catch((error: unknown) => {
        notes.push(`${line}: ${messageOf(error)}`);
      });
    }
    signal?.throwIfAborted();
    progress?.("done", 1);
  } finally {
    probe.destroy();
  }
  return { memory, rates, dispatchUs, checked: notes.length === 0, notes, date: new Date().toISOString() };
}

/** Leaves out the sizes in bytes that a buffer of this device must not have. */
function upTo({ device }: Gpu, sizes: readonly number[]): readonly number[] {
  const most = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
  return sizes.filter((bytes) => bytes <= most);
}

/** The time in µs of a dispatch of one workgroup that waits for the one before it. */
async function dispatchTime(probe: Probe): Promise<number> {
  const { device } = probe.gpu;
  const counter = probe.buffer("counter", 16);
  try {
    const kernel = await createKernel(device, { label: "ceilings/dispatch", code: emptyCode, resources: { counter } });
    const us = await probe.time(kernel, 1);
    const [before = 0] = await readWords(device, counter, 1);
    probe.once(kernel, 1);
    const [after = 0] = await readWords(device, counter, 1);
    if (before < 1 || after !== before + 1)
      throw new Error(`dispatches: the counter went from ${before} to ${after}, not by 1`);
    return us;
  } finally {
    counter.destroy();
  }
}
