import type { Gpu } from "../../pipeline/device/gpu.ts";
import { type Columns, micros } from "../report/page.ts";

/** The steps of a compaction, in order. A contender in one pass has `move` alone. */
export const STEPS = ["count", "prefix", "move"] as const;
export type StepName = (typeof STEPS)[number];

/** The time of each step in microseconds; null if the contender does not have the step. */
export type StepTimes = Readonly<Record<StepName, number | null>>;

/** The times of a contender's steps. */
export interface Stepped {
  /** Each step's time, by differences: the time up to this step less the time up to the step before. */
  readonly steps: StepTimes;
}

/** A table's columns of the steps' times. */
export const STEP_COLUMNS: Columns<Stepped> = Object.fromEntries(
  STEPS.map((name) => [`${name} µs`, ({ steps }: Stepped) => (steps[name] === null ? "" : micros(steps[name]))]),
);

/** The problem of a compaction on a device: it keeps the words of `input` that are not 0. */
export interface Problem {
  readonly gpu: Gpu;
  /** The number of words. */
  readonly length: number;
  /** u32 words; beyond `length` there are 0 up to a multiple of `PADDING` words. */
  readonly input: GPUBuffer;
  /** Receives the words that are kept; as long as `input`. */
  readonly kept: GPUBuffer;
  /** One word that receives the number of words kept. */
  readonly total: GPUBuffer;
  /** Makes a storage buffer of this many words, filled with 0, that lives as long as the problem. */
  scratch(label: string, words: number): GPUBuffer;
}

/** The input's last block is whole for every contender: it is padded with 0 to a multiple of this many words. */
export const PADDING = 1024;

/** One step of a contender: its dispatches. */
export interface CompactionStep {
  readonly name: StepName;
  encode(pass: GPUComputePassEncoder): void;
}

/** A way to compact words on a GPU. */
export interface Contender {
  readonly name: string;
  /** A description of the way, in a few words. */
  readonly way: string;
  /** Where it was published. */
  readonly source: string;
  /** Whether the whole output keeps the input's order ("all"), or the size in words of the blocks that keep it within themselves. */
  readonly keepsOrder: "all" | number;
  /** Why it cannot run on this device or length; `undefined` if it can. */
  unfit(gpu: Gpu, length: number): string | undefined;
  /** The steps in order. Throws if the device refuses a kernel or a buffer. */
  build(problem: Problem): Promise<readonly CompactionStep[]>;
}
