/** The timeline has at most this many places, enough for the widest screen; a long recording's frames share them. */
const PLACES = 2048;

/**
 * Tells which frames of a recording took longer than the budget when they were timed last. Each place of the timeline holds one number,
 * however long the recording is: the last of its frames that was too slow. When that frame is in time, the place is free again.
 */
export class OverBudget {
  /** Frame numbers + 1; 0 means none. */
  #marks = new Uint32Array(0);
  #length = 0;
  /** Counts the changes of the marks. */
  version = 0;

  /** Removes all marks, for a recording of `length` frames; 0 for a camera. */
  reset(length: number): void {
    this.#length = length;
    this.#marks = new Uint32Array(Math.min(length, PLACES));
    this.version++;
  }

  /** Takes the result of timing a frame. */
  record(index: number, over: boolean): void {
    if (index < 0 || index >= this.#length) return;
    const place = this.#placeOf(index);
    const before = this.#marks[place];
    if (over) this.#marks[place] = index + 1;
    else if (before === index + 1) this.#marks[place] = 0;
    if (this.#marks[place] !== before) this.version++;
  }

  /** The marked frames, in order. */
  get frames(): number[] {
    return Array.from(
      this.#marks.filter((mark) => mark > 0),
      (mark) => mark - 1,
    );
  }

  /** The next marked frame after `index`, or the one before it; beyond the last mark comes the first one. `undefined` where none is. */
  beside(index: number, side: "next" | "before"): number | undefined {
    const { frames } = this;
    if (side === "next") return frames.find((frame) => frame > index) ?? frames[0];
    return frames.findLast((frame) => frame < index) ?? frames.at(-1);
  }

  #placeOf(index: number): number {
    return Math.floor((index * this.#marks.length) / this.#length);
  }
}
