import type { AdapterChoice } from "../pipeline/device/gpu.ts";
import type { Size } from "./types.ts";

// The options of the bench's commands, as the command line hands them over.

/** The options of `bench`. */
export interface BenchOptions {
  /** The name of one stage; undefined for all stages and their chains. */
  readonly stage: string | undefined;
  /** The cases to measure instead of `stage`, such as "median:size=5,median+compact". */
  readonly stages?: string;
  readonly sizes?: readonly Size[];
  readonly data?: string;
  readonly recording?: readonly string[];
  readonly backend: "all" | "webgpu" | "cpu";
  readonly adapter: AdapterChoice;
  readonly mode: "robust" | "unchecked" | "both";
  readonly trials?: number;
  readonly peers?: string;
  readonly quick?: true;
  readonly json?: true;
  readonly out?: string;
  readonly html?: string;
}

/** The options of `bench fusion`. */
export interface FusionOptions {
  readonly adapter: AdapterChoice;
  readonly quick?: true;
  readonly json?: true;
  readonly out?: string;
  readonly html?: string;
}

/** The options of `bench fidelity`. */
export interface FidelityOptions {
  readonly recordings: readonly string[];
  readonly truth: readonly string[];
  readonly stages?: string;
  readonly settings?: string;
  readonly set: readonly string[];
  readonly frames?: number;
  readonly size?: Size;
  readonly quick?: true;
  readonly json?: true;
  readonly out?: string;
  readonly html?: string;
}

/** The options of `bench poses`. */
export interface PosesOptions {
  readonly recordings: readonly string[];
  readonly stages?: string;
  readonly set: readonly string[];
  readonly frames?: number;
  /** Seconds. */
  readonly shift?: number;
  readonly json?: true;
  readonly out?: string;
}

/** The options of `report`. */
export interface ReportOptions {
  readonly adapter: AdapterChoice;
  /** In seconds. */
  readonly budget?: number;
  readonly quick?: true;
  readonly out: string;
  readonly json?: string;
}
