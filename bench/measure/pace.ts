import type { Kernel } from "../../shaders/kernel.ts";
import { createKernel } from "../../stages/core/author.ts";
import code from "../kernels/ceilings/arithmetic.wgsl?raw";
import type { Stopwatch } from "./stopwatch.ts";

const [WORKGROUP, INVOCATIONS, ROUNDS, DISPATCHES] = [256, 2 ** 18, 64, 8];
/** The clock rate settles within the first second of work, so nothing waits longer. */
const [FIRST_MS, LONGEST_MS] = [1000, 1500];
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
    if ((isUp && (known || spent > FIRST_MS)) || spent > LONGEST_MS) return;
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
