import type { FrameShape } from "../core/frame.ts";

/** "robust" runs as the pipeline does; "unchecked" runs Dawn without bounds checks. */
export type Mode = "robust" | "unchecked";

/**
 * How a time was taken:
 * - `pass`: many frames in one compute pass, stamped at both ends, divided by their number.
 * - `submit`: a single frame, from its recording until the queue is done.
 * - `twin`: the CPU twins, on one thread.
 */
export type Method = "pass" | "submit" | "twin";

/** A term of a time's limit: see limit.ts. */
export type Term = "arithmetic" | "memory" | "launch";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The input of the stages: the different images among which the measurement rotates. */
export interface Input {
  /** "structured", "filled", "random50", "random80" or a recording's name. */
  readonly data: string;
  readonly shape: FrameShape;
  /** Row-major depth, 0 invalid. */
  readonly images: readonly Uint16Array<ArrayBuffer>[];
  /** Whether the images are consecutive frames of a camera, so that each can be compared with the one before. */
  readonly follows?: true;
}

/** The distribution of a measurement, in microseconds per frame. */
export interface Spread {
  readonly medianUs: number;
  readonly p10Us: number;
  readonly p90Us: number;
}

export interface Result extends Spread {
  readonly stage: string;
  readonly variant: string;
  readonly width: number;
  readonly height: number;
  /** Pixels of a frame. */
  readonly elements: number;
  readonly data: string;
  readonly clock: "gpu" | "wall";
  /** The fewest bytes that must be moved: every input read once and every output written once, stage by stage. */
  readonly bytes: number;
  /** Whether the outputs after all timed runs, poisoned before them, equal the CPU twin's within the stage's tolerance. */
  readonly checked: boolean;
  readonly backend: "webgpu" | "cpu";
  readonly mode: Mode | null;
  readonly method: Method;
  /** The number of frames between two stamps. */
  readonly repeats: number;
  /** The number of different images used in turn, each with buffers of its own. */
  readonly images: number;
  /** The least time that the device's ceilings allow, where they are known: see limit.ts. */
  readonly limitUs?: number;
  /** The term of the limit that counts most. */
  readonly limitTerm?: Term;
}

export interface PeerResult extends Spread {
  readonly name: string;
  readonly stage: string;
  readonly width: number;
  readonly height: number;
  readonly elements: number;
  readonly data: string;
  readonly bytes: number;
  /** The program that measured. */
  readonly program: string;
  /** Whether the peer's output equals ours; null where the peer computes something else. */
  readonly agrees: boolean | null;
  /** The compared outputs, and the difference. */
  readonly comparison: string;
}

export interface Ratio {
  readonly name: string;
  /** In microseconds. */
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
  /** The peer, or "our copy", whose time divides ours. */
  readonly against: string;
  readonly stage: string;
  readonly variant: string;
  readonly width: number;
  readonly height: number;
  readonly data: string;
  readonly mode: Mode | null;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly os: string;
  readonly node: string;
  readonly date: string;
}

export interface Adapter {
  readonly vendor: string;
  readonly description: string;
  readonly software: boolean;
  readonly clock: "gpu" | "wall";
  readonly clockResolutionUs: number;
  readonly subgroupSizes: string;
  readonly invocationsPerWorkgroup: number;
  readonly workgroupMemory: number;
}

/** The document of `--json`. */
export interface Report {
  readonly machine: Machine;
  readonly adapter: Adapter | null;
  readonly mode: Mode | "both";
  readonly results: readonly Result[];
  readonly peers: readonly PeerResult[];
  readonly ratios: readonly Ratio[];
  /** Cases that were left out, and wrong outputs, with the reasons. */
  readonly notes: readonly string[];
}

/** Takes a line of progress. */
export type Log = (line: string) => void;

/** Percentiles by nearest rank, rounded to nanoseconds. */
export function spreadOf(micros: readonly number[]): Spread {
  const sorted = [...micros].sort((a, b) => a - b);
  const at = (p: number) => Math.round((sorted[Math.round(p * (sorted.length - 1))] ?? 0) * 1000) / 1000;
  return { medianUs: at(0.5), p10Us: at(0.1), p90Us: at(0.9) };
}
