import type { Kernel } from "../../shaders/kernel.ts";

/** What is known of a frame beside its size; of what is not known 0, so that what follows from it is a bound from below. */
export interface FrameFacts {
  /** The share of pixels that are valid, 0 to 1. */
  readonly valid: number;
  /** Points that stages before this one made. */
  readonly points: number;
  /** How often a splat touches a tile of the picture. */
  readonly pairs: number;
  /** The depth that the stage reads, where it is at hand: two pixels a word, rows of `stride` pixels. */
  readonly depth?: FactDepth | undefined;
}

/** A depth image's words on the CPU. */
export interface FactDepth {
  /** Two pixels a word, the left one in the low half. */
  readonly words: Uint32Array;
  /** Pixels in a row, without padding. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** Pixels from one row to the next. */
  readonly stride: number;
}

/** Nothing is known of a frame. */
export const UNKNOWN_FACTS: FrameFacts = { valid: 0, points: 0, pairs: 0 };

/** What a kernel moves and how often its parts run, at the least. */
export interface Traffic {
  /** Bytes of the stage's input that it reads, each once. */
  readonly read?: number;
  /** Bytes of the stage's output that it writes. */
  readonly written?: number;
  /** Bytes that an earlier kernel of the stage left, or that stay from frame to frame as tables do. */
  readonly scratchRead?: number;
  /** Bytes for a later kernel of the stage. */
  readonly scratchWritten?: number;
  /**
   * How often parts run that depend on the data: by condition, as the shader writes it, the share of invocations that meet an `if`'s, or
   * the mean rounds of a loop. A condition that is not named counts as never met.
   */
  readonly runs?: Readonly<Record<string, number>>;
}

/** The work of a kernel for one frame, from which its limit on a device is computed. */
export interface KernelWork {
  /** The kernel's name: "median/size3". */
  readonly label: string;
  /** Its WGSL. */
  readonly code: string;
  /** Values of the shader's `override` constants. */
  readonly constants: Readonly<Record<string, number>>;
  /** Workgroups of a dispatch. */
  readonly workgroups: number;
  /** Invocations that have work, where those of all workgroups are more. */
  readonly invocations?: number | undefined;
  /** Dispatches of a frame, one after the other. */
  readonly dispatches: number;
  /** Bytes moved and branches taken in one dispatch. */
  readonly traffic: Traffic;
}

/** Declares the work of a kernel: what its workgroups are, what it moves, and how often it is dispatched. */
export function workOf(
  { spec }: Pick<Kernel, "spec">,
  workgroups: number,
  traffic: Traffic,
  { invocations, dispatches = 1 }: { readonly invocations?: number; readonly dispatches?: number } = {},
): KernelWork {
  const { label, code, constants = {} } = spec;
  return { label, code, constants, workgroups, invocations, dispatches, traffic };
}
