import { createKernel } from "../../stages/core/author.ts";
import code from "../kernels/ceilings/move.wgsl?raw";
import { readWords } from "../measure/words.ts";
import type { Probe } from "./probe.ts";
import type { MemoryRate } from "./types.ts";

const WORKGROUP = 256;
const BYTES = 16;
/** vec4s of one dispatch. Small buffers are traversed many times, so that the cost of the dispatch itself is negligible. */
const ACCESSES = 2 ** 24;
const SOFTWARE_ACCESSES = 2 ** 17;
/** Invocations that keep a large GPU busy. */
const FILLING = 2 ** 18;
/**
 * vec4s of an invocation in one pass through a buffer. An invocation that only reads has more, so that the cost of writing its sum is
 * negligible.
 */
const ROUNDS = { read: [16, 4, 64], write: [2, 8], copy: [2, 8] } as const;
const CHECKED_WORDS = 2 ** 16;

type Way = keyof typeof ROUNDS;

/** Measures one working set of this many bytes, a power of two. Throws an error that says what was wrong. */
export async function measureMemory(probe: Probe, bytes: number): Promise<MemoryRate> {
  const { software } = probe.gpu;
  const rateOf = async (way: Way) => {
    // A copy has two buffers, of half the size each.
    const length = bytes / BYTES / (way === "copy" ? 2 : 1);
    let best = 0;
    for (const plan of software
      ? [wrapping(length, ROUNDS[way][0], SOFTWARE_ACCESSES)]
      : plansFor(length, ROUNDS[way])) {
      best = Math.max(best, await moveRate(probe, way, plan));
    }
    return best;
  };
  return { bytes, readGBps: await rateOf("read"), writeGBps: await rateOf("write"), copyGBps: await rateOf("copy") };
}

interface Plan {
  /** vec4s of each buffer. */
  readonly length: number;
  /** How many vec4s an invocation reads; they lie `stride` apart. */
  readonly rounds: number;
  readonly stride: number;
  readonly invocations: number;
}

/**
 * Passes through the whole buffer, one after the other, so that no cache holds what is not as large as the buffer. A buffer that would keep
 * too few invocations busy is gone through by several at a time.
 */
function plansFor(length: number, rounds: readonly number[]): Plan[] {
  const passes = Math.max(1, ACCESSES / length);
  const whole = rounds
    .filter((each) => length / each >= FILLING)
    // In the next pass another multiprocessor reads the same words, whose own cache does not hold them.
    .map((each) => ({ length, rounds: each * passes, stride: length / each + WORKGROUP, invocations: length / each }))
    .map((plan) => (passes === 1 ? { ...plan, stride: plan.invocations } : plan));
  return whole.length > 0 ? whole : rounds.map((each) => wrapping(length, each, ACCESSES));
}

/** More invocations than vec4s: each next round begins somewhere else in the buffer. */
const wrapping = (length: number, rounds: number, least: number): Plan => {
  const invocations = Math.max(length, least) / rounds;
  return { length, rounds, stride: invocations < length ? invocations : length / 8 + WORKGROUP, invocations };
};

/** The rate in 10⁹ bytes per second of one way to go through memory. */
async function moveRate(probe: Probe, way: Way, plan: Plan): Promise<number> {
  const { device } = probe.gpu;
  const { length, rounds, stride, invocations } = plan;
  const [source, sink, sums] = [
    probe.buffer("source", way === "write" ? BYTES : length * BYTES),
    probe.buffer("sink", way === "read" ? BYTES : length * BYTES),
    probe.buffer("sums", way === "read" ? invocations * BYTES : BYTES),
  ];
  try {
    const kernel = await createKernel(device, {
      label: `ceilings/${way}`,
      code,
      constants: {
        READ: way === "write" ? 0 : 1,
        WRITE: way === "read" ? 0 : 1,
        LENGTH: length,
        STRIDE: stride,
        ROUNDS: rounds,
      },
      resources: { source, sink, sums },
    });
    fill(device, source);
    probe.once(kernel, invocations / WORKGROUP);
    const fault = await faultOf(probe, way, { sink, sums }, plan);
    if (fault) throw new Error(`${way} of ${length * BYTES} bytes: ${fault}`);
    const us = await probe.time(kernel, invocations / WORKGROUP);
    const moved = invocations * (rounds * (way === "copy" ? 2 : 1) + (way === "read" ? 1 : 0)) * BYTES;
    return moved / us / 1000;
  } finally {
    for (const buffer of [source, sink, sums]) buffer.destroy();
  }
}

/** The source repeats after this many words, a prime: making more would take longer than measuring. */
const PERIOD = 1_048_573;
const PATTERN = 2654435761;

/** The source's word at an index. */
const wordAt = (i: number) => Math.imul(i % PERIOD, PATTERN) >>> 0;

function fill(device: GPUDevice, buffer: GPUBuffer): void {
  const words = new Uint32Array(Math.min(PERIOD, buffer.size / 4));
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i, PATTERN);
  for (let at = 0; at < buffer.size / 4; at += PERIOD) {
    device.queue.writeBuffer(buffer, at * 4, words, 0, Math.min(PERIOD, buffer.size / 4 - at));
  }
}

/** Looks at the first words that the kernel left, in words. */
async function faultOf(
  { gpu: { device } }: Probe,
  way: Way,
  { sink, sums }: Readonly<Record<"sink" | "sums", GPUBuffer>>,
  plan: Plan,
): Promise<string | undefined> {
  const { length, rounds, stride, invocations } = plan;
  const count = Math.min(CHECKED_WORDS, (way === "read" ? invocations : length) * 4);
  const found = await readWords(device, way === "read" ? sums : sink, count);
  for (let i = 0; i < count; i++) {
    const [vector, part] = [i >> 2, i & 3];
    let expected = way === "write" ? (part === 0 ? vector : vector ^ part) : wordAt(i);
    if (way === "read") {
      expected = 0;
      for (let round = 0; round < rounds; round++) {
        expected = (expected + wordAt(4 * ((vector + round * stride) % length) + part)) >>> 0;
      }
    }
    if (found[i] !== expected) return `word ${i} is ${found[i]}, not ${expected}`;
  }
  return undefined;
}
