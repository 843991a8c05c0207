/** A long recording's frames share places: so many are enough for the widest screen. */
const PLACES = 2048;

/**
 * Which frames of a recording took longer than the budget when they were timed last. Holds one number for each place of the
 * timeline, however long the recording is: a place is marked by the last of its frames that was too slow, until that very
 * frame has been in time.
 */
export class OverBudget {
  /** Frame numbers + 1; 0 is none. */
  #marks = new Uint32Array(0);
  #length = 0;
  /** Changes with the marks. */
  version = 0;

  /** Forgets all, for a recording of so many frames; 0 for a camera. */
  reset(length: number): void {
    this.#length = length;
    this.#marks = new Uint32Array(Math.min(length, PLACES));
    this.version++;
  }

  /** A frame has been timed. */
  record(index: number, over: boolean): void {
    if (index < 0 || index >= this.#length) return;
    const place = this.#placeOf(index);
    const before = this.#marks[place];
    if (over) this.#marks[place] = index + 1;
    else if (before === index + 1) this.#marks[place] = 0;
    if (this.#marks[place] !== before) this.version++;
  }

  /** The frames that are marked, in order. */
  get frames(): number[] {
    return Array.from(
      this.#marks.filter((mark) => mark > 0),
      (mark) => mark - 1,
    );
  }

  #placeOf(index: number): number {
    return Math.floor((index * this.#marks.length) / this.#length);
  }
}
