import type { DepthFrame } from "./frame.ts";

/** A frame's way before the pipeline, for measuring. */
export interface FrameWay {
  /** How long decoding the frame's images and unpacking their container took, ms. */
  readonly decodeMs: number;
  /** When the frame's first bytes arrived, in ms since 1970; `undefined` for a recording. */
  readonly fromMs?: number | undefined;
}

const ways = new WeakMap<DepthFrame, FrameWay>();

/** Notes a frame's way, and returns the frame. */
export function withWay(frame: DepthFrame, way: FrameWay | undefined): DepthFrame {
  if (way) ways.set(frame, way);
  return frame;
}

/** The way of a frame that a source gave; `undefined` for a copy of the frame. */
export const wayOf = (frame: DepthFrame): FrameWay | undefined => ways.get(frame);

/** The frame, said to jump where it takes the place of frames of which one jumped: it does not continue the frames before that, either. */
export function insteadOf(frame: DepthFrame, lost: readonly Pick<DepthFrame, "jump">[], jumped = false): DepthFrame {
  const jump = !frame.jump && (jumped || lost.some((one) => one.jump));
  return jump ? withWay({ ...frame, jump }, wayOf(frame)) : frame;
}

/** Measures how long, in ms, at least one of the promises given to it was pending. */
export class WorkClock {
  #active = 0;
  #sinceMs = 0;
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active++ === 0) this.#sinceMs = performance.now();
    try {
      return await work();
    } finally {
      if (--this.#active === 0) this.#ms += performance.now() - this.#sinceMs;
    }
  }
}
