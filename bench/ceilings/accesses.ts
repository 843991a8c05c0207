import { createKernel } from "../../stages/core/author.ts";
import { faultOf } from "../atomics/measure.ts";
import { OPERATIONS, PLACES } from "../atomics/plan.ts";
import operateCode from "../kernels/atomics/operate.wgsl?raw";
import fetchCode from "../kernels/ceilings/fetch.wgsl?raw";
import emptyCode from "../kernels/empty.wgsl?raw";
import { readWords } from "../measure/words.ts";
import type { Probe } from "./probe.ts";

const LENGTH = 1024;
const FETCH_WORKGROUP = 256;
const EACH = 16;
const [INVOCATIONS, ROUNDS] = [2 ** 18, 64];
const [SOFTWARE_INVOCATIONS, SOFTWARE_ROUNDS] = [2 ** 11, 8];
const ATOMIC_WORKGROUP = 64;
const ATOMIC_ROUNDS = 64;

/** How many 10⁹ words per second are read from workgroup memory, or from the nearest cache. Throws an error that says what was wrong. */
export async function fetchRate(probe: Probe, isShared: boolean): Promise<number> {
  const { device, software } = probe.gpu;
  const invocations = software ? SOFTWARE_INVOCATIONS : INVOCATIONS;
  const rounds = software ? SOFTWARE_ROUNDS : ROUNDS;
  const words = Uint32Array.from({ length: LENGTH }, (_, i) => Math.imul(i + 1, 2654435761) >>> 0);
  const [table, results] = [probe.buffer("table", LENGTH * 4), probe.buffer("results", invocations * 4)];
  try {
    device.queue.writeBuffer(table, 0, words);
    const kernel = await createKernel(device, {
      label: isShared ? "ceilings/workgroup" : "ceilings/accesses",
      code: fetchCode,
      constants: { SHARED: Number(isShared), ROUNDS: rounds },
      resources: { table, results },
    });
    probe.once(kernel, invocations / FETCH_WORKGROUP);
    const found = await readWords(device, results, FETCH_WORKGROUP);
    for (let lane = 0; lane < FETCH_WORKGROUP; lane++) {
      let sum = 0;
      for (let i = 0; i < rounds * EACH; i++) {
        const at = lane + Math.floor(i / EACH) + 64 * (i % EACH);
        sum = (sum + (words[at % LENGTH] ?? 0)) >>> 0;
      }
      if (found[lane] !== sum)
        throw new Error(`the words that invocation ${lane} read add up to ${found[lane]}, not ${sum}`);
    }
    return (invocations * rounds * EACH) / (await probe.time(kernel, invocations / FETCH_WORKGROUP)) / 1000;
  } finally {
    table.destroy();
    results.destroy();
  }
}

/** How many 10⁹ atomic additions per second storage takes: all on one cell or on adjacent ones, whichever is quicker. */
export async function atomicRate(probe: Probe): Promise<number> {
  const { device, software } = probe.gpu;
  const invocations = software ? SOFTWARE_INVOCATIONS : INVOCATIONS;
  const [cells, results] = [probe.buffer("cells", invocations * 4), probe.buffer("results", invocations * 8)];
  let best = 0;
  try {
    for (const place of ["one cell", "adjacent"] as const) {
      const kernel = await createKernel(device, {
        label: "ceilings/atomics",
        code: operateCode,
        constants: { OPERATION: OPERATIONS.add, STRIDE: PLACES[place], APART: 0, ROUNDS: ATOMIC_ROUNDS, ARITHMETIC: 0 },
        resources: { cells, results },
      });
      device.queue.writeBuffer(cells, 0, new Uint32Array(invocations));
      probe.once(kernel, invocations / ATOMIC_WORKGROUP);
      const used = place === "one cell" ? 1 : invocations;
      const one = {
        series: "invocations",
        operation: "add",
        place,
        apartBytes: null,
        arithmetic: 0,
        invocations,
      } as const;
      const fault = faultOf(one, await readWords(device, cells, used), new Uint32Array());
      if (fault) throw new Error(`atomic additions, ${place}: ${fault}`);
      const us = await probe.time(kernel, invocations / ATOMIC_WORKGROUP);
      best = Math.max(best, (invocations * ATOMIC_ROUNDS) / us / 1000);
    }
    return best;
  } finally {
    cells.destroy();
    results.destroy();
  }
}

/** The time in µs of a dispatch of one workgroup that waits for the one before it. */
export async function dispatchTime(probe: Probe): Promise<number> {
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
