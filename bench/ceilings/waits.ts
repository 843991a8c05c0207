import { createKernel } from "../../stages/core/author.ts";
import chaseCode from "../kernels/ceilings/chase.wgsl?raw";
import { readWords } from "../measure/words.ts";
import type { Probe } from "./probe.ts";
import type { LoadWait } from "./types.ts";

const ROUNDS = 1024;
/** Words that are written at a time. */
const CHUNK = 2 ** 20;

/**
 * The place behind a place in a chain through `length` words, a power of two: odd steps of .62 of `length` visit every word, and never one
 * near the word before.
 */
const nextOf = (at: number, length: number): number => (at + (Math.floor(0.618 * length) | 1)) & (length - 1);

/** The time in ns of a load whose place the load before it gave, in a buffer of this many bytes, a power of two. Throws what was wrong. */
export async function loadWait(probe: Probe, bytes: number): Promise<LoadWait> {
  const { device } = probe.gpu;
  const length = bytes / 4;
  const [places, ends] = [probe.buffer("places", bytes), probe.buffer("ends", 4)];
  try {
    const words = new Uint32Array(Math.min(CHUNK, length));
    for (let first = 0; first < length; first += words.length) {
      for (let i = 0; i < words.length; i++) words[i] = nextOf(first + i, length);
      device.queue.writeBuffer(places, first * 4, words);
    }
    const [label, constants, resources] = ["ceilings/chase", { ROUNDS }, { places, ends }];
    const kernel = await createKernel(device, { label, code: chaseCode, constants, resources });
    probe.once(kernel, 1);
    const [end] = await readWords(device, ends, 1);
    let at = 0;
    for (let i = 0; i < ROUNDS; i++) at = nextOf(at, length);
    if (end !== at) throw new Error(`a chain of ${ROUNDS} loads ended at ${end}, not at ${at}`);
    return { bytes, ns: ((await probe.time(kernel, 1)) * 1000) / ROUNDS };
  } finally {
    places.destroy();
    ends.destroy();
  }
}
