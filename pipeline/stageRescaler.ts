import type { DepthFrame } from "../core/frame.ts";
import { DepthRescaler } from "../stages/core/depthRescaler.ts";

/** A frame as the stages get it: in a finer unit than the source's if one of them smooths. */
export interface Rescaled {
  readonly frame: DepthFrame;
  readonly smooths: boolean;
  /** The time that the conversion took, ms; a part of the upload. */
  readonly ms: number;
  /** The value of `DepthRescaler.given` after the conversion. */
  readonly given: number;
}

/** Converts the frames of a stream to the unit in which the stages work. */
export class StageRescaler {
  readonly #finer = new DepthRescaler();

  /** Begins another stream, whose unit the frame `first` decides, by default the stream's first frame. */
  begin(first?: DepthFrame): void {
    this.#finer.begin(first);
  }

  /** The frame as the stages get it. Returns `before`, what they got of the same frame earlier, while its memory is valid. */
  take(frame: DepthFrame, smooths: boolean, before?: Rescaled): Rescaled {
    if (before?.smooths === smooths && this.#finer.given - before.given < 2) return before;
    const begin = performance.now();
    const taken = smooths ? this.#finer.of(frame) : frame;
    return { frame: taken, smooths, ms: performance.now() - begin, given: this.#finer.given };
  }
}
