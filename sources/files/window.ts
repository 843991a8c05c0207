import type { Bytes } from "../decode/codec.ts";
import type { ByteFile } from "./files.ts";

/** The bytes read after a jump: the header of a large record, and perhaps the next headers. */
const FIRST = 2 ** 12;
/** The most bytes read at once where records follow each other closely. */
const MOST = 2 ** 18;

/**
 * A window on a file for a reader that goes from record to record. A read of a file costs as much as a thousand of the reader's steps, so
 * small records are read many at a time. The window doubles as long as the next record lies in it or right behind it; after a jump it is
 * short again.
 *
 *     |  4 KiB  | frame …                     |  4 KiB  |   8 KiB      |      16 KiB     …
 *      ^ header    ^ skipped, not read         ^ small records, one behind the other
 */
export class FileWindow {
  #begin = 0;
  #held: Bytes = new Uint8Array(0);
  #size = FIRST;

  constructor(readonly file: ByteFile) {}

  /** The `length` bytes from `at`, fewer at the file's end, if the window holds them; `undefined` if they must be read. */
  held(at: number, length: number): Bytes | undefined {
    const from = at - this.#begin;
    const end = Math.min(at + length, this.file.size) - this.#begin;
    return from >= 0 && end <= this.#held.length ? this.#held.subarray(from, end) : undefined;
  }

  /** Reads `length` bytes from `at`; fewer at the file's end. They are valid until the next read. */
  async read(at: number, length: number): Promise<Bytes> {
    const here = this.held(at, length);
    if (here) return here;
    const end = this.#begin + this.#held.length;
    const follows = this.#held.length > 0 && at >= this.#begin && at <= end;
    this.#size = follows ? Math.min(MOST, 2 * this.#size) : FIRST;
    this.#held = await this.file.read(at, Math.max(this.#size, length));
    this.#begin = at;
    return this.#held.subarray(0, length);
  }
}
