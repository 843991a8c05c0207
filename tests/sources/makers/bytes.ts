/** Writes little-endian numbers, texts and bytes one after the other. */
export class Bytes {
  readonly #parts: Uint8Array[] = [];

  #put(size: number, write: (view: DataView) => void): this {
    const part = new Uint8Array(size);
    write(new DataView(part.buffer));
    return this.bytes(part);
  }

  bytes(part: Uint8Array): this {
    this.#parts.push(part);
    return this;
  }

  text = (value: string) => this.bytes(new TextEncoder().encode(value));
  u8 = (value: number) => this.#put(1, (view) => view.setUint8(0, value));
  u16 = (value: number) => this.#put(2, (view) => view.setUint16(0, value, true));
  u32 = (value: number) => this.#put(4, (view) => view.setUint32(0, value >>> 0, true));
  u64 = (value: number) => this.#put(8, (view) => view.setBigUint64(0, BigInt(value), true));
  f32 = (value: number) => this.#put(4, (view) => view.setFloat32(0, value, true));
  f64 = (value: number) => this.#put(8, (view) => view.setFloat64(0, value, true));

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
