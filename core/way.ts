import type { DepthFrame } from "./frame.ts";

/** A frame's way before the pipeline, for measuring. */
export interface FrameWay {
  /** How long its images were decoded and what they are packed in was unpacked, ms. */
  readonly decodeMs: number;
  /** When the first of it arrived, in ms since 1970; `undefined` of a recording. */
  readonly fromMs?: number | undefined;
}

const ways = new WeakMap<DepthFrame, FrameWay>();

/** Notes a frame's way, and returns the frame. */
export function withWay(frame: DepthFrame, way: FrameWay | undefined): DepthFrame {
  if (way) ways.set(frame, way);
  return frame;
}

/** The way of a frame that a source gave; `undefined` of a copy. */
export const wayOf = (frame: DepthFrame): FrameWay | undefined => ways.get(frame);

/** Measures for how long some of the work that it is given goes on, ms. */
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
