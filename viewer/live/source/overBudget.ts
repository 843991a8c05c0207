/** The timeline has at most this many places, enough for the widest screen; a long recording's frames share them. */
const PLACES = 2048;

/**
 * Tells which frames of a recording took longer than the budget when they were timed last. Each place of the timeline holds one number,
 * however long the recording is: the last of its frames that was too slow. When that frame is in time, the place is free again. Where most
 * frames are too slow, a mark would say nothing of its frame, so none has one.
 */
export class OverBudget {
  /** The marked frames, by their places. */
  readonly #marks = new Map<number, number>();
  /** The places of which a frame was timed. */
  readonly #timed = new Set<number>();
  #length = 0;
  /** Counts the changes of the marks. */
  version = 0;

  /** Removes all marks, for a recording of `length` frames; 0 for a camera. */
  reset(length: number): void {
    this.#length = length;
    this.#marks.clear();
    this.#timed.clear();
    this.version++;
  }

  /** Takes the result of timing a frame. */
  record(index: number, over: boolean): void {
    if (index < 0 || index >= this.#length) return;
    const place = Math.floor((index * Math.min(this.#length, PLACES)) / this.#length);
    const [before, were] = [this.#marks.get(place), this.areMost];
    if (over) this.#marks.set(place, index);
    else if (before === index) this.#marks.delete(place);
    this.#timed.add(place);
    if (this.#marks.get(place) !== before || this.areMost !== were) this.version++;
  }

  /** Whether most of the frames that were timed are too slow. */
  get areMost(): boolean {
    return this.#marks.size * 2 > this.#timed.size;
  }

  /** The marked frames, in order. */
  get frames(): number[] {
    return this.areMost ? [] : [...this.#marks.values()].toSorted((a, b) => a - b);
  }

  /** The next marked frame after `index`, or the one before it; beyond the last mark comes the first one. `undefined` where none is. */
  beside(index: number, side: "next" | "before"): number | undefined {
    const { frames } = this;
    if (side === "next") return frames.find((frame) => frame > index) ?? frames[0];
    return frames.findLast((frame) => frame < index) ?? frames.at(-1);
  }
}
