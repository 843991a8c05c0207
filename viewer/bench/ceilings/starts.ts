import { createKernel } from "../../../shaders/kernel.ts";
import startCode from "../kernels/ceilings/start.wgsl?raw";
import { readWords } from "../measure/words.ts";
import type { Probe } from "./probe.ts";
import type { StartRate } from "./types.ts";

/** Invocations of the workgroups that are timed: a subgroup of most GPUs, and the sizes that kernels have. */
const SIZES = [32, 64, 128, 256];
/** Workgroups of a dispatch, across and down: so many that the dispatch itself is a percent of their time. */
const [ACROSS, DOWN] = [4096, 64];
const [SOFTWARE_ACROSS, SOFTWARE_DOWN] = [256, 4];

/** How many 10⁹ workgroups per second a device starts and ends, by their size. Throws an error that says what was wrong. */
export async function startRates(probe: Probe): Promise<StartRate[]> {
  const { device, software } = probe.gpu;
  const [across, down] = software ? [SOFTWARE_ACROSS, SOFTWARE_DOWN] : [ACROSS, DOWN];
  const numbers = probe.buffer("numbers", across * down * 4);
  try {
    const rates: StartRate[] = [];
    for (const invocations of SIZES) {
      const label = `ceilings/start${invocations}`;
      const constants = { SIZE: invocations };
      const kernel = await createKernel(device, { label, code: startCode, constants, resources: { numbers } });
      device.queue.writeBuffer(numbers, 0, new Uint32Array(across * down));
      probe.once(kernel, across, down);
      const fault = faultOf(await readWords(device, numbers));
      if (fault) throw new Error(`workgroups of ${invocations}: ${fault}`);
      rates.push({ invocations, workgroups: (across * down) / (await probe.time(kernel, across, down)) / 1000 });
    }
    return rates;
  } finally {
    numbers.destroy();
  }
}

/** Describes the first wrong number that the workgroups wrote; `undefined` if all are right. */
export function faultOf(numbers: Uint32Array): string | undefined {
  const at = numbers.findIndex((number, i) => number !== ~i >>> 0);
  return at < 0 ? undefined : `number ${at} left ${numbers[at]}, not ${~at >>> 0}`;
}
