import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { Kernel } from "../../shaders/kernel.ts";
import { createKernel } from "../../stages/core/author.ts";
import code from "../kernels/ceilings/arithmetic.wgsl?raw";

/** Times dispatches in one pass by the GPU's clock; without one, from submit to done by the wall clock. */
export class Stopwatch {
  readonly #querySet: GPUQuerySet | undefined;
  readonly #resolved: GPUBuffer;
  readonly #mapped: GPUBuffer;

  constructor(readonly gpu: Gpu) {
    const { device, timestamps } = gpu;
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const buffer = (label: string, usage: number) => device.createBuffer({ label, size: 16, usage });
    if (timestamps) this.#querySet = device.createQuerySet({ label: "bench", type: "timestamp", count: 2 });
    this.#resolved = buffer("bench stamps", QUERY_RESOLVE | COPY_SRC);
    this.#mapped = buffer("bench stamps mapped", MAP_READ | COPY_DST);
  }

  get clock(): "gpu" | "wall" {
    return this.#querySet ? "gpu" : "wall";
  }

  /**
   * The microseconds of `repeats` repetitions of some dispatches in one pass; `null` if the clock ran backwards. It waits for an idle
   * device before and after, so that nothing else is measured.
   */
  async repeat(repeats: number, encode: (pass: GPUComputePassEncoder) => void): Promise<number | null> {
    const { device } = this.gpu;
    const querySet = this.#querySet;
    const encoder = device.createCommandEncoder({ label: "bench" });
    const timestampWrites = querySet && { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
    const pass = encoder.beginComputePass({ label: "bench", ...(timestampWrites && { timestampWrites }) });
    for (let i = 0; i < repeats; i++) encode(pass);
    pass.end();
    if (!querySet) {
      const commands = encoder.finish();
      const begin = performance.now();
      device.queue.submit([commands]);
      await device.queue.onSubmittedWorkDone();
      return (performance.now() - begin) * 1000;
    }
    encoder.resolveQuerySet(querySet, 0, 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#mapped, 0, 16);
    device.queue.submit([encoder.finish()]);
    await this.#mapped.mapAsync(GPUMapMode.READ);
    const [first = 0n, last = 0n] = new BigUint64Array(this.#mapped.getMappedRange());
    this.#mapped.unmap();
    return last > first ? Number(last - first) / 1000 : null;
  }

  destroy(): void {
    this.#querySet?.destroy();
    this.#resolved.destroy();
    this.#mapped.destroy();
  }
}

/** How much time a measurement may take. */
export interface Effort {
  readonly trials: number;
  /** How long the work between two stamps should take, so that the stamps' resolution and cost do not matter. */
  readonly targetUs: number;
  /** Trials stop when this time is spent, but not before the third; when four times this is spent, after the first. */
  readonly budgetMs: number;
}

const MOST_REPEATS = 512;
const LONGEST_MS = 3000;

/**
 * The number of repetitions that fills the target time, a multiple of `least`, as `time` measures them in microseconds (`null` if the
 * clock ran backwards), once the device's clock rate is up.
 */
export async function calibrate(
  stopwatch: Stopwatch,
  { targetUs }: Pick<Effort, "targetUs">,
  least: number,
  time: (repeats: number) => Promise<number | null>,
): Promise<number> {
  await reachFullClock(stopwatch);
  const begin = performance.now();
  let repeats = least;
  for (;;) {
    const us = (await time(repeats)) ?? targetUs;
    const wanted = Math.min(MOST_REPEATS, Math.max(1, (repeats * targetUs) / us), repeats * 8);
    const settled = wanted <= repeats * 1.5;
    repeats = Math.ceil(wanted / least) * least;
    if (settled || performance.now() - begin > LONGEST_MS) return repeats;
  }
}

/**
 * Runs two warm-ups, then as many trials as the budget allows, and returns their times; runs whose clock went backwards are left out.
 * Throws if all did.
 */
export async function trials({ trials: count, budgetMs }: Effort, run: (trial: number) => Promise<number | null>) {
  const micros: number[] = [];
  const begin = performance.now();
  for (let trial = -2; trial < count; trial++) {
    const us = await run(trial + 2);
    const spent = performance.now() - begin;
    if (us !== null && (trial >= 0 || spent > budgetMs)) micros.push(us);
    if (spent > budgetMs && (micros.length >= 3 || spent > 4 * budgetMs) && micros.length > 0) break;
  }
  if (micros.length === 0) throw new Error("the GPU's clock ran backwards in every trial");
  return micros;
}

const WORKGROUP = 256;
const INVOCATIONS = 2 ** 18;
const ROUNDS = 64;
const DISPATCHES = 8;
/** The clock rate settles within the first second of work, so nothing waits longer. */
const SETTLED_MS = 1000;
const GIVEN_UP_MS = 1500;
/** The clock rate is up if the kernel's time is at most `NEAR` times its shortest, give or take a step of the clock. */
const NEAR = 1.05;

interface Pacer {
  readonly kernel: Kernel;
  /** The shortest time that the kernel took on this device, in µs. */
  bestUs: number;
}

const pacers = new WeakMap<GPUDevice, Promise<Pacer>>();

/**
 * Keeps a GPU busy until its clock rate is up. An H200 that idles while a kernel is compiled or a result is checked falls to a sixth of its
 * rate within fractions of a second, and needs 0.2 s of work to rise again. A kernel that only counts shows the present rate. A software
 * GPU has no clock of its own and is left alone.
 */
export async function reachFullClock(stopwatch: Stopwatch): Promise<void> {
  const { device, software, clockResolutionUs } = stopwatch.gpu;
  if (software) return;
  const known = pacers.get(device);
  const making = known ?? makePacer(device);
  pacers.set(device, making);
  const pacer = await making;
  const begin = performance.now();
  for (;;) {
    const us = await stopwatch.repeat(DISPATCHES, (pass) => pacer.kernel.dispatch(pass, INVOCATIONS / WORKGROUP));
    const spent = performance.now() - begin;
    pacer.bestUs = Math.min(pacer.bestUs, us ?? Number.POSITIVE_INFINITY);
    const isUp = us !== null && us <= NEAR * pacer.bestUs + clockResolutionUs;
    if ((isUp && (known || spent > SETTLED_MS)) || spent > GIVEN_UP_MS) return;
  }
}

/** The buffer lives as long as the device. */
async function makePacer(device: GPUDevice): Promise<Pacer> {
  const results = device.createBuffer({ label: "bench pace", size: INVOCATIONS * 16, usage: GPUBufferUsage.STORAGE });
  const constants = { KIND: 0, ROUNDS };
  return {
    kernel: await createKernel(device, { label: "bench/pace", code, constants, resources: { results } }),
    bestUs: Number.POSITIVE_INFINITY,
  };
}
