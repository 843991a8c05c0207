import { createKernel } from "../../stages/core/author.ts";
import startCode from "../kernels/ceilings/start.wgsl?raw";
import { readWords } from "../measure/words.ts";
import type { Probe } from "./probe.ts";
import type { StartRate } from "./types.ts";

/** Invocations of the workgroups that are timed: a subgroup of most GPUs, and the sizes that kernels have. */
const SIZES = [32, 64, 128, 256];
/** Workgroups of a dispatch, across and down: so many that the dispatch itself is a percent of their time. */
const ACROSS = 4096;
const DOWN = 64;
const SOFTWARE_ACROSS = 256;
const SOFTWARE_DOWN = 4;

/** Words that workgroups write to. On a GPU there are so many that two workgroups with the same words never run at the same time. */
const WORDS = 1 << 24;
const SOFTWARE_WORDS = 1 << 18;

/**
 * How many 10⁹ workgroups per second a device starts and ends, by their size. Of two forms the quicker one counts: in one the first
 * invocation writes a word, in the other each does. (An H200 takes longer where some invocations return early; a software GPU where more
 * write.) Throws an error that says what was wrong.
 */
export async function startRates(probe: Probe): Promise<StartRate[]> {
  const numbers = probe.buffer("numbers", 4 * (probe.gpu.software ? SOFTWARE_WORDS : WORDS));
  try {
    const rates: StartRate[] = [];
    for (const invocations of SIZES) {
      const forms: number[] = [];
      for (const writers of [1, invocations]) forms.push(await startRate(probe, numbers, invocations, writers));
      rates.push({ invocations, workgroups: Math.max(...forms) });
    }
    return rates;
  } finally {
    numbers.destroy();
  }
}

async function startRate(probe: Probe, numbers: GPUBuffer, invocations: number, writers: number): Promise<number> {
  const { device, software } = probe.gpu;
  const [across, down] = software ? [SOFTWARE_ACROSS, SOFTWARE_DOWN] : [ACROSS, DOWN];
  const label = `ceilings/start${invocations}`;
  const constants = { SIZE: invocations, WRITERS: writers };
  const kernel = await createKernel(device, { label, code: startCode, constants, resources: { numbers } });
  const written = Math.min(across * down * writers, numbers.size / 4);
  device.queue.writeBuffer(numbers, 0, new Uint32Array(written));
  probe.once(kernel, across, down);
  const fault = faultOf(await readWords(device, numbers, written));
  if (fault) throw new Error(`workgroups of ${invocations}: ${fault}`);
  return (across * down) / (await probe.time(kernel, across, down)) / 1000;
}

/** Describes the first wrong number that the workgroups wrote; `undefined` if all are right. */
export function faultOf(numbers: Uint32Array): string | undefined {
  const at = numbers.findIndex((number, i) => number !== ~i >>> 0);
  return at < 0 ? undefined : `number ${at} left ${numbers[at]}, not ${~at >>> 0}`;
}
