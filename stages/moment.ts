/** Which frame a stage sees, for stages that remember. */
export interface Moment {
  /** The frame's position in its source. */
  readonly index: number;
  /** Milliseconds on the source's clock. */
  readonly timestamp: number;
  /** A new frame. `false`: the last one again (a redraw, a tuning, a measurement): what is remembered does not move on. */
  readonly fresh: boolean;
  /**
   * It comes right after the frame before it. `false` after a seek, a gap, a loop and where another source begins: nothing that is
   * remembered holds.
   */
  readonly follows: boolean;
}

/** For those who run a stage over and over on one frame. */
export const AGAIN: Moment = { index: 0, timestamp: 0, fresh: false, follows: false };

/**
 * What a stage remembers: two of something, of which one is read and the other written, by turns, so that nothing is copied.
 *
 *     frame 0: writes a | frame 1: reads a, writes b | again: reads a, writes b | frame 2: reads b, writes a
 */
export class Turns<T> {
  #now: 0 | 1 = 0;
  #written = false;
  #continues = false;

  constructor(readonly pair: readonly [T, T]) {}

  /** To be asked once each time the stage is run: which of the pair to write. The other is to be read if `continues`. */
  take({ fresh, follows }: Moment): 0 | 1 {
    if (fresh) {
      this.#now = this.#now === 0 ? 1 : 0;
      this.#continues = follows && this.#written;
      this.#written = true;
    }
    return this.#now;
  }

  /** Whether what the other holds is about the frame before this one. */
  get continues(): boolean {
    return this.#continues;
  }

  /** The next frame begins anew. */
  forget(): void {
    this.#written = false;
  }
}
