import type { Gpu } from "../../pipeline/device/gpu.ts";
import { createKernel } from "../../stages/core/author.ts";
import code from "../kernels/atomics/operate.wgsl?raw";
import { calibrate, type Effort, Stopwatch, trials } from "../measure/stopwatch.ts";
import { readWords } from "../measure/words.ts";
import { type Spread, spreadOf } from "../types.ts";
import { type AtomicCase, OPERATIONS, PLACES } from "./plan.ts";

/** Invocations of a workgroup, where there are as many. */
const WORKGROUP = 64;
/** Operations of an invocation in one dispatch. */
const ROUNDS = 64;
/** The largest distance of two cells, in words. */
const APART_WORDS = 128;

/** A measurement of one dispatch; its operations are `invocations` × `rounds`. */
export interface AtomicRow extends AtomicCase, Spread {
  readonly rounds: number;
  /** The median divided by the number of operations. */
  readonly nsPerOperation: number;
  /** Whether the cells hold what the operations should have left in them. */
  readonly checked: boolean;
  readonly repeats: number;
}

export interface AtomicTimes {
  readonly rows: readonly AtomicRow[];
  /** The faults and their places. */
  readonly notes: readonly string[];
}

/** Checks and times operations on cells. Runs in Node and in a page. `signal` stops between two cases. */
export async function measureAtomics(
  gpu: Gpu,
  cases: readonly AtomicCase[],
  effort: Effort,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<AtomicTimes> {
  const { device } = gpu;
  const most = Math.max(...cases.map(({ invocations }) => invocations));
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const words = Math.max(most * PLACES["128 bytes each"], APART_WORDS + 1);
  const cells = device.createBuffer({ label: "atomics cells", size: words * 4, usage });
  const results = device.createBuffer({ label: "atomics results", size: most * 8, usage });
  const stopwatch = new Stopwatch(gpu);
  const [rows, notes]: [AtomicRow[], string[]] = [[], []];
  try {
    for (const one of cases) {
      signal?.throwIfAborted();
      const workgroup = Math.min(WORKGROUP, one.invocations);
      const kernel = await createKernel(device, {
        label: "atomics/operate",
        code,
        constants: {
          OPERATION: OPERATIONS[one.operation],
          STRIDE: one.place === "two cells" ? 0 : PLACES[one.place],
          APART: (one.apartBytes ?? 0) / 4,
          ROUNDS,
          ARITHMETIC: one.arithmetic,
          WORKGROUP: workgroup,
        },
        resources: { cells, results },
      });
      const time = (repeats: number) =>
        stopwatch.repeat(repeats, (pass) => kernel.dispatch(pass, one.invocations / workgroup));
      const encoder = device.createCommandEncoder({ label: "atomics check" });
      encoder.clearBuffer(cells);
      const pass = encoder.beginComputePass({ label: "atomics check" });
      kernel.dispatch(pass, one.invocations / workgroup);
      pass.end();
      device.queue.submit([encoder.finish()]);
      const used = one.place === "two cells" ? APART_WORDS + 1 : one.invocations * PLACES[one.place] || 1;
      const returned = await readWords(device, results, one.invocations * 2);
      const fault = faultOf(one, await readWords(device, cells, used), returned);
      if (fault) notes.push(`${nameOf(one)}: WRONG: ${fault}`);
      const repeats = await calibrate(stopwatch, effort, 1, time);
      const spread = spreadOf((await trials(effort, () => time(repeats))).map((us) => us / repeats));
      const nsPerOperation = Number(((spread.medianUs * 1000) / (one.invocations * ROUNDS)).toPrecision(4));
      rows.push({ ...one, ...spread, rounds: ROUNDS, nsPerOperation, checked: !fault, repeats });
      log(`${nameOf(one)}: ${nsPerOperation} ns an operation${fault ? `, WRONG: ${fault}` : ""}`);
    }
  } finally {
    stopwatch.destroy();
    cells.destroy();
    results.destroy();
  }
  return { rows, notes };
}

const nameOf = ({ operation, place, apartBytes, arithmetic, invocations }: AtomicCase) =>
  `${operation}, ${place}${apartBytes === null ? "" : ` ${apartBytes} bytes apart`}, ${arithmetic} multiply-adds, ${invocations} invocations`;

/** What one dispatch over cleared cells did wrong, in words. `results` has pairs: what operations returned, summed; the arithmetic. */
export function faultOf(one: AtomicCase, cells: Uint32Array, results: Uint32Array): string | undefined {
  const { operation, place, invocations } = one;
  const total = invocations * ROUNDS;
  const sum = cells.reduce((all, cell) => all + cell, 0);
  const adds = operation === "add" || operation === "add, result used";
  if (adds && sum !== total) return `the cells hold ${sum}, not ${total}`;
  const alone = place === "adjacent" || place === "128 bytes each";
  if (operation === "load, then store" && alone && sum !== total) return `the cells hold ${sum}, not ${total}`;
  if (operation === "store") {
    const written = place === "one cell" ? 1 : invocations;
    if (sum !== written * ROUNDS) return `the cells hold ${sum}, not ${written * ROUNDS}`;
  }
  if ((operation === "none" || operation === "load") && sum !== 0) return `the cells hold ${sum}, not 0`;
  if (operation === "add, result used" && place === "one cell") {
    // Every count from 0 to total - 1 was returned once; sums are modulo 2^32.
    let returned = 0;
    for (let i = 0; i < invocations; i++) returned = (returned + (results[2 * i] ?? 0)) >>> 0;
    const expected = Number(((BigInt(total) * BigInt(total - 1)) / 2n) & 0xffffffffn);
    if (returned !== expected) return `what the adds returned sums to ${returned}, not ${expected} (modulo 2^32)`;
  }
  return undefined;
}
