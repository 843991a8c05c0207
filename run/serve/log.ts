import { plain, short } from "../../core/check.ts";

/** How many lines may be written at once; after them one for each `REFILL_MS`. */
const BURST = 10;
const REFILL_MS = 5000;
const LONGEST_LINE = 400;

/**
 * A log of events that strangers can cause. Each line is short and without control characters; lines beyond the rate are counted, not
 * written.
 */
export class Log {
  #left = BURST;
  #filledMs: number;
  #silent = 0;

  constructor(
    readonly write: (line: string) => void,
    /** In ms. */
    readonly now: () => number = () => performance.now(),
  ) {
    this.#filledMs = now();
  }

  line(text: string): void {
    const lines = Math.floor((this.now() - this.#filledMs) / REFILL_MS);
    this.#filledMs += lines * REFILL_MS;
    this.#left = Math.min(BURST, this.#left + lines);
    if (this.#left === 0) {
      this.#silent++;
      return;
    }
    this.#left--;
    this.end();
    this.write(plain(short(text, LONGEST_LINE)));
  }

  /** Writes how many lines were left out. */
  end(): void {
    if (this.#silent > 0) this.write(`${this.#silent} more lines like these are left out`);
    this.#silent = 0;
  }
}
