import type { KernelTime } from "../../pipeline/tune/search.ts";
import type { FrameShape } from "../../sources/frame.ts";

/** "robust": as the pipeline runs. "unchecked": Dawn without its bounds checks and without zeroing workgroup memory. */
export type Mode = "robust" | "unchecked";

/**
 * How a time was taken. `pass`: many frames in one compute pass, stamped at both ends, divided by their number. `submit`: a
 * frame alone, from its recording until the queue is done. `passes`: many frames, a pass for each stage. `stamped`: the same,
 * each pass stamping its end, as the pipeline does on a timed frame. `twin`: the CPU twins, one thread.
 */
export type Method = "pass" | "submit" | "passes" | "stamped" | "twin";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What goes through the stages: as many different images as the measurement rotates among. */
export interface Input {
  /** "structured", "filled", "random50", "random80" or a recording's name. */
  readonly data: string;
  readonly shape: FrameShape;
  /** Row-major depth, 0 invalid. */
  readonly images: readonly Uint16Array<ArrayBuffer>[];
  /** The images come one after the other out of a camera: each may be held against the one before. */
  readonly follows?: true;
}

/** The spread of a measurement, in microseconds a frame. */
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
  /** The fewest bytes that must move: every input read once, every output written once, stage by stage. */
  readonly bytes: number;
  /** After all the timed runs, on outputs poisoned before them: equal to the CPU twin's, within the stage's tolerance. */
  readonly checked: boolean;
  readonly backend: "webgpu" | "cpu";
  readonly mode: Mode | null;
  readonly method: Method;
  /** Frames between two stamps. */
  readonly repeats: number;
  /** Different images, each with buffers of its own, used in turn. */
  readonly images: number;
}

export interface PeerResult extends Spread {
  readonly name: string;
  readonly stage: string;
  readonly width: number;
  readonly height: number;
  readonly elements: number;
  readonly data: string;
  readonly bytes: number;
  /** The program it was measured by. */
  readonly program: string;
  /** Whether its output is ours, where both compute the same thing; else null. */
  readonly agrees: boolean | null;
  /** What was compared and how far apart it was. */
  readonly comparison: string;
}

export interface Ratio {
  readonly name: string;
  /** Microseconds. */
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
  /** Whose time ours is divided by: a peer's name, or "our copy". */
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

/** What `--json` prints. */
export interface Report {
  readonly machine: Machine;
  readonly adapter: Adapter | null;
  readonly mode: Mode | "both";
  readonly results: readonly Result[];
  readonly peers: readonly PeerResult[];
  readonly ratios: readonly Ratio[];
  /** What was left out and why; what was wrong and where. */
  readonly notes: readonly string[];
}

/** Takes a line for the person who waits. */
export type Log = (line: string) => void;

export interface SplatRow extends Spread {
  readonly points: number;
  /** Mean over the points of the radius of the circle of confusion, px. */
  readonly radiusPx: number;
  readonly fNumber: number;
  /** Entries of the tiles' lists: how often a splat touches a tile. */
  readonly pairs: number;
  readonly tiles: number;
  readonly tilesWithoutList: number;
  readonly variant: "default" | "tuned";
  readonly kernels: readonly KernelTime[];
  /** Of a pass that does nothing, µs: by it a row tells the clock it was measured at. */
  readonly emptyUs: number;
}

export interface SplatReport {
  readonly machine: Machine;
  readonly adapter: Adapter;
  readonly tuned: string;
  readonly rows: readonly SplatRow[];
}

/** Percentiles by nearest rank, rounded to nanoseconds. */
export function spreadOf(micros: readonly number[]): Spread {
  const sorted = [...micros].sort((a, b) => a - b);
  const at = (p: number) => Math.round((sorted[Math.round(p * (sorted.length - 1))] ?? 0) * 1000) / 1000;
  return { medianUs: at(0.5), p10Us: at(0.1), p90Us: at(0.9) };
}
