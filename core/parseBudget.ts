import { SourceError } from "./source.ts";

/** Thrown for a file that asks for more work than its size allows. A reader that skips other faults must not skip this one. */
export class TooMuchWork extends SourceError {}

/** Whether an error concerns only one part of a file, so that the reader can go on with the other parts. */
export const isPartial = (error: unknown): error is SourceError =>
  error instanceof SourceError && !(error instanceof TooMuchWork);

/** The bytes that any file may unpack to, however small the file is. */
const BASE = 256 * 2 ** 20;
/**
 * The bytes that a file may unpack to for each of its own. Packed depth images shrink to a fifth; blank ones, which are rare, to a
 * hundredth.
 */
const PER_BYTE = 64;

/** The cost of other work, as the number of bytes that are unpacked in the same time and memory. */
export const PARSE_COST = {
  /** One number, text or nested message of a message. */
  value: 32,
  /** One record, position of a message, or row of a database. */
  entry: 256,
  /** One byte of a message definition that has to be parsed. */
  definition: 256,
  /** One schema or channel. */
  naming: 4096,
} as const;

/**
 * The work that opening one file may take. A small file can unpack to gigabytes, or list the same bytes a million times. Each reader
 * therefore spends the cost of a step before taking it, so that time and memory are bounded by the file's size, whatever the file says.
 */
export class ParseBudget {
  #left: number;

  /** `name` heads the error's message; `size` is the file's size in bytes. */
  constructor(
    readonly name: string,
    readonly size: number,
  ) {
    this.#left = BASE + PER_BYTE * size;
  }

  /** Takes `cost` bytes off what is left. Throws a `TooMuchWork` where less is left. */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left >= 0) return;
    throw new TooMuchWork(
      `${this.name}: this file of ${this.size} bytes unpacks to, or lists, far more than a recording of that size holds, so reading it stopped; record or export it again`,
    );
  }
}
