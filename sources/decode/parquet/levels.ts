/** How many bits a number from 0 to `most` needs. */
export const bitsFor = (most: number): number => 32 - Math.clz32(most);

/**
 * Reads `count` numbers of `bits` bits in Parquet's hybrid of runs and packed groups of eight. Where the bytes end too early the rest is 0.
 * No run is longer than what is left of `count`.
 */
export function readHybrid(bytes: Uint8Array, bits: number, count: number): Uint32Array {
  const out = new Uint32Array(count);
  if (bits === 0) return out;
  let at = 0;
  const little = (from: number, length: number) => {
    let value = 0;
    for (let i = 0; i < length; i++) value += (bytes[from + i] ?? 0) * 256 ** i;
    return value;
  };
  for (let to = 0; to < count && at < bytes.length; ) {
    let head = 0;
    for (let scale = 1; scale < 2 ** 35; scale *= 128) {
      head += (bytes[at] & 127) * scale;
      if ((bytes[at++] ?? 0) < 128) break;
    }
    if (head % 2 === 0) {
      const width = Math.ceil(bits / 8);
      const end = Math.min(count, to + head / 2);
      out.fill(little(at, width), to, end);
      at += width;
      to = end;
      continue;
    }
    const end = Math.min(count, to + 8 * ((head - 1) / 2));
    for (let bit = 0; to < end; bit += bits, to++) {
      const word = little(at + (bit >> 3), (bits + 15) >> 3);
      out[to] = Math.floor(word / 2 ** (bit & 7)) % 2 ** bits;
    }
    at += bits * ((head - 1) / 2);
  }
  return out;
}
