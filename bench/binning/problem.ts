import type { Gpu } from "../../pipeline/device/gpu.ts";
import { Scratch } from "../measure/scratch.ts";
import { readWords } from "../measure/words.ts";
import type { Problem, Samples } from "./types.ts";

/** Stands in the output before a contender runs, so that an entry that it does not write shows. */
const SENTINEL = 0xdeadbeef;

/** A problem with its buffers on a device. */
export interface OpenProblem extends Problem {
  /** Fills the output with a sentinel. */
  poison(): void;
  readList(): Promise<Uint32Array>;
  readBounds(): Promise<Uint32Array>;
  /** Frees what `scratch` has made so far. */
  freeScratch(): void;
  destroy(): void;
}

/** Uploads samples, of which there is at least one. */
export function openProblem(gpu: Gpu, { pairs, tiles, each }: Samples): OpenProblem {
  const { device } = gpu;
  const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const buffer = (label: string, size: number) =>
    device.createBuffer({ label, size, usage: STORAGE | COPY_DST | COPY_SRC });
  const samples = buffer("binning samples", pairs.byteLength);
  const list = buffer("binning lists", pairs.byteLength);
  // The scan takes four counts at a time.
  const bounds = buffer("binning bounds", Math.ceil(tiles / 4) * 16);
  const total = buffer("binning total", 4);
  const scratch = new Scratch(device);
  const poison = new Uint32Array(Math.max(pairs.length, bounds.size / 4)).fill(SENTINEL);
  device.queue.writeBuffer(samples, 0, pairs);
  return {
    gpu,
    length: pairs.length / 2,
    tiles,
    each,
    samples,
    list,
    bounds,
    total,
    scratch: (label, words) => scratch.take(label, words),
    poison() {
      device.queue.writeBuffer(list, 0, poison, 0, pairs.length);
      device.queue.writeBuffer(bounds, 0, poison, 0, bounds.size / 4);
    },
    readList: () => readWords(device, list),
    readBounds: () => readWords(device, bounds, tiles),
    freeScratch: () => scratch.free(),
    destroy() {
      scratch.free();
      for (const one of [samples, list, bounds, total]) one.destroy();
    },
  };
}
