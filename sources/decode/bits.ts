import { InflateError } from "./codec.ts";

/** Reads bits from bytes, the highest bit of each byte first. */
export class BitReader {
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** The next `count` bits, 24 at most. Throws an `InflateError` where too few are left. */
  take(count: number): number {
    while (this.#count < count) {
      if (this.#at >= this.bytes.length) throw InflateError.cut();
      this.#held = ((this.#held << 8) | this.bytes[this.#at++]) >>> 0;
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#held >>> this.#count) & ((1 << count) - 1);
  }

  take32(): number {
    const high = this.take(16);
    return ((high << 16) | this.take(16)) >>> 0;
  }
}

/** The longest code in bits. A block of a few bytes can have six tables, so each is built in one pass over its lengths. */
const LONGEST = 20;

export interface HuffmanTable {
  /** Reads the next symbol. Throws an `InflateError`. */
  read(bits: BitReader): number;
}

/** Builds the canonical Huffman code of code lengths from 1 to 20 bits: shorter codes first, among equal ones the lower symbol. */
export function huffmanTable(lengths: readonly number[]): HuffmanTable {
  const counts = new Int32Array(LONGEST + 1);
  for (const length of lengths) counts[length]++;
  // For each length: where its symbols begin in `order`, the first code too large for it, and the difference between its codes and their
  // positions.
  const starts = new Int32Array(LONGEST + 1);
  const limit = new Int32Array(LONGEST + 1);
  const shift = new Int32Array(LONGEST + 1);
  let longest = 0;
  for (let length = 1, code = 0, place = 0; length <= LONGEST; length++, code <<= 1) {
    starts[length] = place;
    shift[length] = place - code;
    place += counts[length];
    code += counts[length];
    limit[length] = code;
    if (counts[length] > 0) longest = length;
  }
  const order = new Int32Array(lengths.length);
  for (const [symbol, length] of lengths.entries()) order[starts[length]++] = symbol;
  return {
    read(bits) {
      let code = 0;
      for (let length = 1; length <= longest; length++) {
        code = (code << 1) | bits.take(1);
        if (code < limit[length]) {
          const symbol = order[code + shift[length]];
          if (symbol === undefined) throw InflateError.damaged();
          return symbol;
        }
      }
      throw InflateError.damaged();
    },
  };
}
