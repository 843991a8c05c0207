import { createKernel } from "../../stages/core/author.ts";
import code from "../kernels/ceilings/arithmetic.wgsl?raw";
import { readWords } from "../measure/words.ts";
import type { Probe } from "./probe.ts";

/** The kinds of operations; the numbers are those of arithmetic.wgsl. */
export const KINDS = { fma: 0, add: 1, logic: 2, both: 3 } as const;
export type ArithmeticKind = keyof typeof KINDS;

const WORKGROUP = 256;
/** Operations of an invocation in one round. */
const EACH = 256;
/** Steps of a round on numbers of one kind; and steps on each kind, if a round has both. */
const STEPS = 16;
const STEPS_OF_BOTH = 8;
// Invocations of a dispatch. An H200 runs 2^18 at once, which leaves 3 % of it idle; with 8 rounds the prologue and epilogue of an
// invocation would count.
const INVOCATIONS = 2 ** 20;
const ROUNDS = 64;
const SOFTWARE_INVOCATIONS = 2 ** 11;
const SOFTWARE_ROUNDS = 4;

/** How many 10⁹ operations of a kind a device does per second. Throws an error that says what was wrong. */
export async function arithmeticRate(probe: Probe, kind: ArithmeticKind): Promise<number> {
  const { device, software } = probe.gpu;
  const invocations = software ? SOFTWARE_INVOCATIONS : INVOCATIONS;
  const rounds = software ? SOFTWARE_ROUNDS : ROUNDS;
  const results = probe.buffer("results", invocations * 16);
  try {
    const kernel = await createKernel(device, {
      label: `ceilings/${kind}`,
      code,
      constants: { KIND: KINDS[kind], ROUNDS: rounds },
      resources: { results },
    });
    probe.once(kernel, invocations / WORKGROUP);
    const found = await readWords(device, results, WORKGROUP * 4);
    const fault = faultOf(kind, found, rounds);
    if (fault) throw new Error(`${kind}: ${fault}`);
    return (invocations * rounds * EACH) / (await probe.time(kernel, invocations / WORKGROUP)) / 1000;
  } finally {
    results.destroy();
  }
}

/** Describes the first wrong result of the first invocations. */
export function faultOf(kind: ArithmeticKind, found: Uint32Array, rounds: number): string | undefined {
  const floats = new Float32Array(found.buffer, found.byteOffset, found.length);
  let words: readonly number[] = [];
  for (let i = 0; i < found.length; i++) {
    const [id, part] = [i >> 2, i & 3];
    const wanted = floatsAfter(kind, id + part, rounds);
    if (kind === "fma") {
      const off = Math.abs((floats[i] ?? Number.NaN) - wanted);
      if (!(off <= 1e-3)) return `result ${i} is ${floats[i]}, not ${wanted}`;
      continue;
    }
    if (part === 0) words = wordsAfter(kind, id, rounds);
    const expected = words[part] ?? 0;
    if (kind !== "both") {
      if (found[i] !== expected) return `result ${i} is ${found[i]}, not ${expected}`;
      continue;
    }
    const [sum = Number.NaN] = new Float32Array(Uint32Array.of((found[i] ?? 0) ^ expected).buffer);
    if (!(Math.abs(sum - wanted) <= 1e-3)) return `the floats of result ${i} add up to ${sum}, not ${wanted}`;
  }
  return undefined;
}

/** The sum of the four floats after all rounds: x ← 0.75 x + 0.5 comes to 2 from wherever it begins. */
function floatsAfter(kind: ArithmeticKind, at: number, rounds: number): number {
  const start = (at & 1023) + 1;
  return 8 + 0.75 ** (rounds * (kind === "both" ? STEPS_OF_BOTH : STEPS)) * (4 * start + 1.5 - 8);
}

/** The sum of the four vectors of whole numbers after all rounds, for one invocation. */
function wordsAfter(kind: ArithmeticKind, id: number, rounds: number): number[] {
  const first = [0, 1, 2, 3].map((i) => (id + i) >>> 0);
  let words: Words = [first, ...[0x55, 0xaa, 0xff].map((mask) => first.map((x) => (x ^ mask) >>> 0))];
  // If both kinds of numbers take turns, each makes half of the steps.
  const steps = rounds * (kind === "both" ? STEPS_OF_BOTH : STEPS);
  for (let i = 0; i < steps; i++) words = stepOf(kind, words);
  return first.map((_, i) => words.reduce((sum, vector) => sum + (vector[i] ?? 0), 0) >>> 0);
}

type Words = readonly (readonly number[])[];

/** A step of arithmetic.wgsl. */
function stepOf(kind: ArithmeticKind, [a = [], b = [], c = [], d = []]: Words): Words {
  const each = (step: (...of: number[]) => number, ...of: Words) =>
    a.map((_, i) => step(...of.map((vector) => vector[i] ?? 0)) >>> 0);
  if (kind === "add") {
    const step = (x = 0, y = 0) => x + y;
    const one = each(step, a, b);
    return [one, each(step, b, c), each(step, c, d), each(step, d, one)];
  }
  const turned = ([x = 0, y = 0, z = 0, w = 0]: readonly number[]) => [y, z, w, x];
  const and = (x = 0, y = 0, z = 0) => x ^ (y & z);
  const or = (x = 0, y = 0, z = 0) => x ^ (y | z);
  const first = each(and, a, turned(b), c);
  const second = each(or, b, turned(c), d);
  return [first, second, each(and, c, turned(d), first), each(or, d, turned(first), second)];
}
