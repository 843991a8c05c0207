import type { Gpu } from "../../pipeline/device/gpu.ts";
import { atomicRate, dispatchTime, fetchRate } from "./accesses.ts";
import { type ArithmeticKind, arithmeticRate } from "./arithmetic.ts";
import { measureMemory } from "./bandwidth.ts";
import { Probe } from "./probe.ts";
import { startRates } from "./starts.ts";
import type { Ceilings, LoadWait, MeasureOptions, MemoryRate, Rates, StartRate } from "./types.ts";
import { loadWait } from "./waits.ts";

/** The working sets in bytes: from what every cache holds to what none does. */
const SIZES = [2 ** 20, 2 ** 22, 2 ** 24, 2 ** 25, 2 ** 26, 2 ** 28];
const QUICK_SIZES = [2 ** 22, 2 ** 24, 2 ** 26, 2 ** 28];
const SOFTWARE_SIZES = [2 ** 18, 2 ** 21, 2 ** 23];
/** The buffers through which loads wait for one another: for the nearest cache, for the next one, for memory. */
const CHAINS = [2 ** 15, 2 ** 23, 2 ** 28];
const SOFTWARE_CHAINS = [2 ** 15, 2 ** 23];
const FRAME_BYTES = 640 * 480 * 2;

/** A measurement and its name. */
type Measurement = readonly [line: string, run: () => Promise<void>];

/**
 * Measures what a device can do at most, in 5 to 20 seconds. A kernel that leaves a wrong result, or that the
 * device refuses, counts as 0 and is named in `notes`.
 */
export async function measureCeilings(
  gpu: Gpu,
  { quick = false, progress, signal }: MeasureOptions = {},
): Promise<Ceilings> {
  const probe = new Probe(gpu, quick);
  const memory: MemoryRate[] = [];
  const rates = {
    f32: 0,
    i32: 0,
    logic: 0,
    f16: null as number | null,
    both: 0,
    special: 0,
    accesses: 0,
    workgroup: 0,
    atomics: 0,
  };
  const starts: StartRate[] = [];
  const waits: LoadWait[] = [];
  const times = { dispatchUs: 0, roundTripUs: 0, uploadUs: 0 };
  const notes: string[] = [];
  /** A step that measures a rate; if several steps measure the same one, the highest counts. */
  const rate = (key: keyof Rates, line: string, find: () => Promise<number>): Measurement => {
    const run = async () => {
      rates[key] = Math.max(rates[key] ?? 0, await find());
    };
    return [line, run];
  };
  const arithmetic = (key: keyof Rates, kind: ArithmeticKind) =>
    rate(key, `arithmetic: ${kind}`, () => arithmeticRate(probe, kind));
  const dispatches = async () => {
    times.dispatchUs = await dispatchTime(probe);
  };
  const steps: Measurement[] = [
    ["dispatches", dispatches],
    arithmetic("f32", "fma"),
    ...(["multiplyAdd", "add"] as const).map((kind) => arithmetic("i32", kind)),
    ...(["logic", "minMax"] as const).map((kind) => arithmetic("logic", kind)),
    arithmetic("both", "both"),
    arithmetic("special", "special"),
    ...(gpu.device.features.has("shader-f16") ? [arithmetic("f16", "half")] : []),
    ["starts of workgroups", async () => void starts.push(...(await startRates(probe)))],
    rate("workgroup", "workgroup memory", () => fetchRate(probe, true)),
    rate("accesses", "the nearest cache", () => fetchRate(probe, false)),
    rate("atomics", "atomic additions", () => atomicRate(probe)),
    ...upTo(gpu, gpu.software ? SOFTWARE_SIZES : quick ? QUICK_SIZES : SIZES).map((bytes): Measurement => {
      return [`memory: ${bytes / 2 ** 20} MiB`, async () => void memory.push(await measureMemory(probe, bytes))];
    }),
    ...upTo(gpu, gpu.software ? SOFTWARE_CHAINS : CHAINS).map((bytes): Measurement => {
      return [`loads in a row: ${bytes / 2 ** 20} MiB`, async () => void waits.push(await loadWait(probe, bytes))];
    }),
    ["submitting", async () => void Object.assign(times, await submitTimes(gpu))],
  ];
  let checked = true;
  try {
    for (const [i, [line, run]] of steps.entries()) {
      signal?.throwIfAborted();
      progress?.(line, i / steps.length);
      await run().catch((error: unknown) => {
        checked = false;
        notes.push(`${line}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
    signal?.throwIfAborted();
    progress?.("done", 1);
  } finally {
    probe.destroy();
  }
  return { memory, rates, starts, waits, ...times, checked, notes, date: new Date().toISOString() };
}

/** Leaves out the sizes in bytes that a buffer of this device must not have. */
function upTo({ device }: Gpu, sizes: readonly number[]): readonly number[] {
  const most = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
  return sizes.filter((bytes) => bytes <= most);
}

async function submitTimes({ device }: Gpu): Promise<{ readonly roundTripUs: number; readonly uploadUs: number }> {
  const buffer = device.createBuffer({ label: "ceilings upload", size: FRAME_BYTES, usage: GPUBufferUsage.COPY_DST });
  const frame = new Uint8Array(FRAME_BYTES);
  const shortest = async (work: () => void) => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 10; i++) {
      const begin = performance.now();
      work();
      device.queue.submit([device.createCommandEncoder().finish()]);
      await device.queue.onSubmittedWorkDone();
      least = Math.min(least, performance.now() - begin);
    }
    return least * 1000;
  };
  try {
    const roundTripUs = await shortest(() => {});
    const both = await shortest(() => device.queue.writeBuffer(buffer, 0, frame));
    return { roundTripUs, uploadUs: Math.max(0, both - roundTripUs) };
  } finally {
    buffer.destroy();
  }
}
