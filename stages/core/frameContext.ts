/** Which frame a stage sees; stages that remember earlier frames need this. */
export interface FrameContext {
  /** The frame's position in its source. */
  readonly index: number;
  /** Milliseconds on the source's clock. */
  readonly timestamp: number;
  /** True for a new frame. False if the last frame runs again (a redraw, tuning, a measurement): memory then stays as it is. */
  readonly fresh: boolean;
  /**
   * True if the frame continues the one before it. False after a seek, a gap or a loop, and for the first frame of a source: what the stage
   * remembers is then invalid.
   */
  readonly follows: boolean;
  /** True for the first frame of a stream that does not go on where the one before ended: a stage then forgets all frames before. */
  readonly begins?: boolean | undefined;
  /** The camera's pose, if the frame has one: see `DepthFrame.pose`. */
  readonly pose?: readonly number[] | undefined;
}

/** For callers that run a stage repeatedly on one frame. */
export const AGAIN: FrameContext = { index: 0, timestamp: 0, fresh: false, follows: false };

/**
 * The memory of a stage: two objects, one read and one written, which swap with each new frame, so that nothing is copied.
 *
 *     frame 0: writes a | frame 1: reads a, writes b | again: reads a, writes b | frame 2: reads b, writes a
 */
export class PingPong<T> {
  #now: 0 | 1 = 0;
  #written = false;
  #continues = false;
  #past = false;

  constructor(
    /** The two objects, which take turns. */
    readonly pair: readonly [T, T],
  ) {}

  /** Returns the index of the object to write; call this exactly once per run. Read the other object only if `continues` is true. */
  take({ fresh, follows, begins }: FrameContext): 0 | 1 {
    if (fresh) {
      this.#now = this.#now === 0 ? 1 : 0;
      this.#continues = follows && this.#written;
      this.#past = this.#written && !begins;
      this.#written = true;
    }
    return this.#now;
  }

  /** Whether the object to read describes the frame before this one. */
  get continues(): boolean {
    return this.#continues;
  }

  /** Whether the object to read describes an earlier frame of the same stream, even one that this frame does not follow. */
  get hasPast(): boolean {
    return this.#past;
  }

  /** Makes the next frame begin without memory. */
  forget(): void {
    this.#written = false;
  }
}
