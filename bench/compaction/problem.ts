import type { Gpu } from "../../pipeline/device/gpu.ts";
import { Scratch } from "../measure/scratch.ts";
import { readWords } from "../measure/words.ts";
import type { Problem } from "./types.ts";

/** Stands in the output before a contender runs, so that a word that it does not write shows. */
const SENTINEL = 0xdeadbeef;

/** A problem with its buffers on a device. */
export interface OpenProblem extends Problem {
  /** Fills the output with a sentinel. */
  poison(): void;
  /** The first `count` words of the output. */
  read(count: number): Promise<Uint32Array>;
  readTotal(): Promise<number>;
  /** Frees what `scratch` has made so far. */
  freeScratch(): void;
  destroy(): void;
}

/** Uploads `words` (padded as `Problem.input` asks), of which the first `length` are the input. */
export function openProblem(gpu: Gpu, words: Uint32Array<ArrayBuffer>, length: number): OpenProblem {
  const { device } = gpu;
  const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const usage = STORAGE | COPY_DST | COPY_SRC;
  const bytes = words.byteLength;
  const input = device.createBuffer({ label: "compaction input", size: bytes, usage });
  const kept = device.createBuffer({ label: "compaction output", size: bytes, usage });
  const total = device.createBuffer({ label: "compaction total", size: 4, usage });
  const scratch = new Scratch(device);
  const poison = new Uint32Array(words.length).fill(SENTINEL);
  device.queue.writeBuffer(input, 0, words);
  const read = async (buffer: GPUBuffer, count: number) =>
    count === 0 ? new Uint32Array() : readWords(device, buffer, count);
  return {
    gpu,
    length,
    input,
    kept,
    total,
    scratch: (label, count) => scratch.take(label, count),
    poison() {
      device.queue.writeBuffer(kept, 0, poison);
      device.queue.writeBuffer(total, 0, poison, 0, 1);
    },
    read: (count) => read(kept, count),
    readTotal: async () => (await read(total, 1))[0] ?? 0,
    freeScratch: () => scratch.free(),
    destroy() {
      scratch.free();
      for (const buffer of [input, kept, total]) buffer.destroy();
    },
  };
}
