import type { Gpu } from "../../../pipeline/device/gpu.ts";
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
  const scratch: GPUBuffer[] = [];
  const poison = new Uint32Array(words.length).fill(SENTINEL);
  device.queue.writeBuffer(input, 0, words);
  const read = async (buffer: GPUBuffer, count: number) => {
    if (count === 0) return new Uint32Array();
    const { COPY_DST: to, MAP_READ } = GPUBufferUsage;
    const copy = device.createBuffer({ label: "compaction readback", size: count * 4, usage: to | MAP_READ });
    try {
      const encoder = device.createCommandEncoder({ label: "compaction readback" });
      encoder.copyBufferToBuffer(buffer, 0, copy, 0, count * 4);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      return new Uint32Array(copy.getMappedRange()).slice();
    } finally {
      copy.destroy();
    }
  };
  const freeScratch = () => {
    for (const buffer of scratch.splice(0)) buffer.destroy();
  };
  return {
    gpu,
    length,
    input,
    kept,
    total,
    scratch(label, count) {
      // A vec4 is the least that a kernel binds.
      const buffer = device.createBuffer({ label, size: Math.ceil(count / 4) * 16, usage });
      scratch.push(buffer);
      return buffer;
    },
    poison() {
      device.queue.writeBuffer(kept, 0, poison);
      device.queue.writeBuffer(total, 0, poison, 0, 1);
    },
    read: (count) => read(kept, count),
    readTotal: async () => (await read(total, 1))[0] ?? 0,
    freeScratch,
    destroy() {
      freeScratch();
      for (const buffer of [input, kept, total]) buffer.destroy();
    },
  };
}
