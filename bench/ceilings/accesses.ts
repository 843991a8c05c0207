import { createKernel } from "../../stages/core/author.ts";
import addCode from "../kernels/ceilings/add.wgsl?raw";
import fetchCode from "../kernels/ceilings/fetch.wgsl?raw";
import emptyCode from "../kernels/empty.wgsl?raw";
import { readWords } from "../measure/words.ts";
import type { Probe } from "./probe.ts";

const LENGTH = 1024;
const FETCH_WORKGROUP = 256;
const EACH = 16;
const INVOCATIONS = 2 ** 18;
const ROUNDS = 64;
const SOFTWARE_INVOCATIONS = 2 ** 11;
const SOFTWARE_ROUNDS = 8;
const ATOMIC_WORKGROUP = 64;
const ATOMIC_ROUNDS = 64;

/** How many 10⁹ words per second are read from workgroup memory, or from the nearest cache. Throws an error that says what was wrong. */
export async function fetchRate(probe: Probe, isShared: boolean): Promise<number> {
  const { device, software } = probe.gpu;
  const invocations = software ? SOFTWARE_INVOCATIONS : INVOCATIONS;
  const rounds = software ? SOFTWARE_ROUNDS : ROUNDS;
  const words = Uint32Array.from({ length: LENGTH }, (_, i) => Math.imul(i + 1, 2654435761) >>> 0);
  const table = probe.buffer("table", LENGTH * 4);
  const results = probe.buffer("results", invocations * 4);
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
  const cells = probe.buffer("cells", invocations * 4);
  let best = 0;
  try {
    for (const [place, stride] of [
      ["one cell", 0],
      ["adjacent", 1],
    ] as const) {
      const kernel = await createKernel(device, {
        label: "ceilings/atomics",
        code: addCode,
        constants: { STRIDE: stride, ROUNDS: ATOMIC_ROUNDS },
        resources: { cells },
      });
      device.queue.writeBuffer(cells, 0, new Uint32Array(invocations));
      probe.once(kernel, invocations / ATOMIC_WORKGROUP);
      const sum = (await readWords(device, cells, invocations)).reduce((all, cell) => all + cell, 0);
      const total = invocations * ATOMIC_ROUNDS;
      if (sum !== total) throw new Error(`atomic additions, ${place}: the cells hold ${sum}, not ${total}`);
      const us = await probe.time(kernel, invocations / ATOMIC_WORKGROUP);
      best = Math.max(best, total / us / 1000);
    }
    return best;
  } finally {
    cells.destroy();
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
