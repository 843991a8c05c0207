import type { Kernel } from "../../shaders/kernel.ts";

/** Known facts of a frame beside its size. Unknown numbers are 0, so that the computed work is a lower bound. */
export interface FrameFacts {
  /** The share of pixels that are valid, 0 to 1. */
  readonly valid: number;
  /** Points that stages before this one made. */
  readonly points: number;
  /** The number of pairs of a splat and a tile of the picture that it touches. */
  readonly pairs: number;
  /** The depth that the stage reads, if known. */
  readonly depth?: FactDepth | undefined;
  /** The points that stages before this one made, on the CPU, if known. */
  readonly cloud?: FactPoints | undefined;
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

/** Points on the CPU: four 32-bit words for each. */
export interface FactPoints {
  /** x, y, z in metres in the sensor's frame, then the colour's bits. */
  readonly floats: Float32Array;
  /** The same memory as words. */
  readonly words: Uint32Array;
  /** The number of points. */
  readonly count: number;
}

/** The value of a pixel inside of the image, in the depth's unit; 0 is invalid. */
export const valueAt = ({ words, stride }: FactDepth, x: number, y: number): number =>
  (words[(y * stride + x) >> 1] >>> (16 * (x & 1))) & 0xffff;

/** Nothing is known of a frame. */
export const UNKNOWN_FACTS: FrameFacts = { valid: 0, points: 0, pairs: 0 };

/** Lower bounds of the bytes that a kernel moves and of how often its parts run. */
export interface Traffic {
  /** Bytes read of the stage's input and of tables of the frame's size, each counted once. */
  readonly read?: number;
  /** Bytes written of the stage's output. */
  readonly written?: number;
  /** Bytes read that an earlier kernel of the stage wrote, or that stay from frame to frame (small tables). */
  readonly scratchRead?: number;
  /** Bytes written for a later kernel of the stage. */
  readonly scratchWritten?: number;
  /**
   * How often parts run that depend on the data. The key is the condition as the shader writes it; the value is the share of invocations
   * for which an `if` is true, or the mean number of rounds of a loop. A condition that is missing here counts as false. The key may also
   * be the call of one of the shader's functions; the value is the share of its work that is needed: compilers leave out the components of
   * vectors that nobody uses.
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
  /** Invocations that have work, if fewer than the workgroups have. */
  readonly invocations?: number | undefined;
  /** Dispatches of a frame, one after the other. */
  readonly dispatches: number;
  /** Bytes moved and branches taken in one dispatch. */
  readonly traffic: Traffic;
}

/**
 * How a loop that ends early is declared: the share of invocations for which the condition of its `break` is true each time, so that its
 * body runs `mean` times on average and `most` times at the most. The `break` stands at the begin or at the end of the body.
 */
export function roundShare(mean: number, most: number, at: "begin" | "end"): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const share = (low + high) / 2;
    // The sum of the shares that stay for the rounds 0 … most - 1, or 1 … most.
    const stay = 1 - share;
    const rounds = ((1 - stay ** most) / share) * (at === "begin" ? stay : 1);
    if (rounds > mean) low = share;
    else high = share;
  }
  return high;
}

/** Declares the work of a kernel: its workgroups, its traffic and the number of its dispatches. */
export function workOf(
  { spec }: Pick<Kernel, "spec">,
  workgroups: number,
  traffic: Traffic,
  { invocations, dispatches = 1 }: { readonly invocations?: number; readonly dispatches?: number } = {},
): KernelWork {
  const {
    label,
    shader: { code },
    constants = {},
  } = spec;
  return { label, code, constants, workgroups, invocations, dispatches, traffic };
}
