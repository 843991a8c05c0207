import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { CompactionStep } from "../compaction/types.ts";

/** Samples that are to be sorted into tiles. */
export interface Samples {
  /** Where they come from: "uniform", "one tile", "dofSplat's lists, mean blur 2 px". */
  readonly data: string;
  /** A pair of (tile, value) for each sample. `markOf` in data.ts makes the value, by which a check finds its sample again. */
  readonly pairs: Uint32Array<ArrayBuffer>;
  readonly tiles: number;
  /** How many samples in a row come from one source, rounded: what an invocation of dofSplat's kernels makes. */
  readonly each: number;
}

/** An input that is made when it is measured: large ones take memory. */
export interface Input {
  /** A description of the input, in a few words. */
  readonly label: string;
  make(): Promise<Samples>;
}

/** The input of a contender. */
export interface Problem {
  readonly gpu: Gpu;
  /** The number of samples. */
  readonly length: number;
  readonly tiles: number;
  readonly each: number;
  /** `length` pairs of (tile, value). */
  readonly samples: GPUBuffer;
  /** Receives all samples, tile by tile, the tiles in order. */
  readonly list: GPUBuffer;
  /** Receives a word for each tile: where its list begins or ends. */
  readonly bounds: GPUBuffer;
  /** One word for a scan's total. */
  readonly total: GPUBuffer;
  /** Makes a storage buffer of this many words, filled with 0, that lives until the contender was measured. */
  scratch(label: string, words: number): GPUBuffer;
}

/** A way to sort samples into tiles on a GPU. */
export interface Contender {
  readonly name: string;
  /** A description of the way, in a few words. */
  readonly way: string;
  /** The final contents of `bounds`. */
  readonly bounds: "starts" | "ends";
  /** The steps in order: count, prefix, move. Throws if the device refuses a kernel or a buffer. */
  build(problem: Problem): Promise<readonly CompactionStep[]>;
}
