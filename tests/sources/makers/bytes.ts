/** Writes little-endian numbers, texts and bytes one after the other. */
export class Bytes {
  readonly #parts: Uint8Array[] = [];

  #put(size: number, values: readonly number[], write: (view: DataView, at: number, value: number) => void): this {
    const part = new Uint8Array(size * values.length);
    for (const [i, value] of values.entries()) write(new DataView(part.buffer), i * size, value);
    return this.bytes(part);
  }

  bytes(part: Uint8Array): this {
    this.#parts.push(part);
    return this;
  }

  text = (value: string) => this.bytes(new TextEncoder().encode(value));
  u8 = (...values: number[]) => this.#put(1, values, (view, at, value) => view.setUint8(at, value));
  u16 = (...values: number[]) => this.#put(2, values, (view, at, value) => view.setUint16(at, value, true));
  u32 = (...values: number[]) => this.#put(4, values, (view, at, value) => view.setUint32(at, value >>> 0, true));
  u64 = (...values: number[]) => this.#put(8, values, (view, at, value) => view.setBigUint64(at, BigInt(value), true));
  f32 = (...values: number[]) => this.#put(4, values, (view, at, value) => view.setFloat32(at, value, true));
  f64 = (...values: number[]) => this.#put(8, values, (view, at, value) => view.setFloat64(at, value, true));

  /** A whole number in as many bytes as it needs, seven bits in each, the lowest first. */
  varint(value: number): this {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) this.u8((left % 128) | 128);
    return this.u8(left);
  }

  get length(): number {
    return this.#parts.reduce((sum, part) => sum + part.length, 0);
  }

  done(): Uint8Array {
    const whole = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

/** 16-bit values as little-endian bytes. */
export const littleEndian = (values: Uint16Array): Uint8Array => {
  const bytes = new Bytes();
  for (const value of values) bytes.u16(value);
  return bytes.done();
};
