/** A message may have `BASE` values, and `PER_BYTE` more for each of its bytes: every type that has a size takes at least a byte. */
const BASE = 4096;
const PER_BYTE = 8;
/** The most values of any message. An image of 1280 × 720 × 16 bits that JSON lists byte by byte has 1.8 million. */
const MOST = 2 ** 21;
/** The cost of a nested message, a text or a byte array, in numbers: each takes as much memory as some numbers. */
const OBJECT = 4;

/** The most bytes of a text in a message: names of frames and encodings are short, and a text is in memory twice. */
export const MAX_TEXT = 2 ** 20;

/**
 * Counts the values that a message unpacks to. By its definition a message of a few bytes can have millions of parts that take no bytes (an
 * array of empty types, fields that are left out), so the message's length alone bounds nothing.
 */
export class Values {
  #left: number;
  readonly #most: number;

  /** `type` is the message's type, for the error; `bytes` is the message's length. */
  constructor(
    readonly type: string,
    readonly bytes: number,
  ) {
    this.#most = Math.min(MOST, BASE + PER_BYTE * bytes);
    this.#left = this.#most;
  }

  /** The numbers counted so far; an object counts as four. */
  get used(): number {
    return this.#most - this.#left;
  }

  /** Counts numbers before they are made. Throws an `Error` where the message has too many. */
  take(count: number): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    throw new Error(
      `the ${this.bytes} bytes unpack to more than ${this.#most} values by the definition of ${this.type}`,
    );
  }

  /** Counts a nested message, a text or a byte array. Throws as `take` does. */
  takeObject(): void {
    this.take(OBJECT);
  }
}
