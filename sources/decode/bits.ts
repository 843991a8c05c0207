import { InflateError } from "./codec.ts";

/** Bits of a stream, the highest of each byte first. */
export class BitReader {
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** The next `count` bits, 24 at most. Throws an `InflateError` where there are none left. */
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

export interface HuffmanTable {
  /** The next symbol. Throws an `InflateError`. */
  read(bits: BitReader): number;
}

/** A canonical code from its lengths: shorter codes first, among equal ones the lower symbol. */
export function huffmanTable(lengths: readonly number[]): HuffmanTable {
  const longest = Math.max(...lengths);
  const order = lengths.map((_, symbol) => symbol).sort((a, b) => lengths[a] - lengths[b] || a - b);
  // Of each length: the first code that is too large for it, and how far its codes are from their places in `order`.
  const limit = new Int32Array(longest + 1);
  const shift = new Int32Array(longest + 1);
  for (let length = 1, code = 0, place = 0; length <= longest; length++, code <<= 1) {
    shift[length] = place - code;
    const count = lengths.filter((other) => other === length).length;
    place += count;
    code += count;
    limit[length] = code;
  }
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
