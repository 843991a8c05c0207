import { createKernel } from "../../../shaders/kernel.ts";
import code from "../kernels/ceilings/move.wgsl?raw";
import { readWords } from "../measure/words.ts";
import type { Probe } from "./probe.ts";
import type { MemoryRate } from "./types.ts";

const WORKGROUP = 256;
const BYTES = 16;
/** vec4s of one dispatch: small buffers are gone through again and again, so that the dispatch itself does not count. */
const [ACCESSES, SOFTWARE_ACCESSES] = [2 ** 24, 2 ** 17];
/** vec4s of an invocation. One that only reads has more, so that the sum that it writes does not count. */
const ROUNDS = { read: [16, 64], write: [2, 8], copy: [2, 8] } as const;
const CHECKED_WORDS = 2 ** 16;

type Way = keyof typeof ROUNDS;

/** Measures one working set of so many bytes, a power of two. Throws an error that says what was wrong. */
export async function measureMemory(probe: Probe, bytes: number): Promise<MemoryRate> {
  const { software } = probe.gpu;
  const rateOf = async (way: Way) => {
    // A copy has two buffers, of half the size each.
    const length = bytes / BYTES / (way === "copy" ? 2 : 1);
    const accesses = Math.max(length, software ? SOFTWARE_ACCESSES : ACCESSES);
    let best = 0;
    for (const rounds of software ? ROUNDS[way].slice(0, 1) : ROUNDS[way]) {
      best = Math.max(best, await moveRate(probe, way, { length, rounds, invocations: accesses / rounds }));
    }
    return best;
  };
  return { bytes, readGBps: await rateOf("read"), writeGBps: await rateOf("write"), copyGBps: await rateOf("copy") };
}

interface Plan {
  /** vec4s of each buffer. */
  readonly length: number;
  readonly rounds: number;
  readonly invocations: number;
}

/** The rate in 10⁹ bytes per second of one way to go through memory. */
async function moveRate(probe: Probe, way: Way, plan: Plan): Promise<number> {
  const { device } = probe.gpu;
  const { length, rounds, invocations } = plan;
  const [source, sink, sums] = [
    probe.buffer("source", way === "write" ? BYTES : length * BYTES),
    probe.buffer("sink", way === "read" ? BYTES : length * BYTES),
    probe.buffer("sums", way === "read" ? invocations * BYTES : BYTES),
  ];
  const stride = strideOf(plan);
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

/** The source repeats after so many words, a prime number: making them would take longer than measuring. */
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

/** Where there are fewer invocations than vec4s, a round continues behind the one before; else it begins somewhere else in the buffer. */
const strideOf = ({ length, invocations }: Plan) => (invocations < length ? invocations : length / 8 + WORKGROUP);

/** Looks at the first words that the kernel left, in words. */
async function faultOf(
  { gpu: { device } }: Probe,
  way: Way,
  { sink, sums }: Readonly<Record<"sink" | "sums", GPUBuffer>>,
  plan: Plan,
): Promise<string | undefined> {
  const { length, rounds, invocations } = plan;
  const stride = strideOf(plan);
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
