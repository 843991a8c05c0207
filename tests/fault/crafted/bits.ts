/** Bits one after the other, the highest of each byte first. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #held = 0;
  #count = 0;

  /** Writes `count` bits: `value` in the last 32, and zeros before. */
  put(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit--) {
      this.#held = (this.#held << 1) | (bit > 31 ? 0 : (value >>> bit) & 1);
      if (++this.#count < 8) continue;
      this.#bytes.push(this.#held);
      [this.#held, this.#count] = [0, 0];
    }
    return this;
  }

  bytes(text: string): this {
    for (const char of text) this.put(char.charCodeAt(0), 8);
    return this;
  }

  done(): Uint8Array {
    if (this.#count > 0) this.put(0, 8 - this.#count);
    return Uint8Array.from(this.#bytes);
  }
}
