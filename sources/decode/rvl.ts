import { type Bytes, InflateError } from "./codec.ts";

/**
 * RVL, a lossless code for depth images (Wilson, "Fast Lossless Depth Image Compression", ISS 2017). Runs of zeros alternate with runs of
 * other values, which are coded as differences between neighbours. Each number is written in groups of three bits, the lowest first; each
 * group takes four bits, of which the first says that more groups follow. Eight groups fill a 32-bit word from its top.
 *
 *     0 0 0 7 8 6      zeros 3, others 3, then the differences 7, 1, -2 as 14, 2, 3 (the sign is the lowest bit)
 *
 * `previous` starts at 0 and is kept over runs of zeros. Words are little-endian, as all programs write them.
 */
export function encodeRvl(depth: Uint16Array): Bytes {
  // A difference has at most 17 bits, which take six groups; a zero between two other values costs less than that.
  const words = new Uint32Array(Math.ceil((depth.length * 6 + 16) / 8));
  const length = depth.length;
  let [word, groups, at, previous] = [0, 0, 0, 0];
  const put = (value: number) => {
    do {
      const rest = value >>> 3;
      word = (word << 4) | (value & 7) | (rest === 0 ? 0 : 8);
      value = rest;
      if (++groups === 8) {
        words[at++] = word;
        groups = 0;
      }
    } while (value !== 0);
  };
  for (let i = 0; i < length; ) {
    const zeros = i;
    while (i < length && depth[i] === 0) i++;
    put(i - zeros);
    let end = i;
    while (end < length && depth[end] !== 0) end++;
    put(end - i);
    for (; i < end; i++) {
      const difference = depth[i] - previous;
      put((difference << 1) ^ (difference >> 31));
      previous = depth[i];
    }
  }
  if (groups > 0) words[at++] = word << (4 * (8 - groups));
  return new Uint8Array(words.buffer.slice(0, at * 4));
}

/** Decodes until `out` is full, and ignores bytes behind the last pixel. Throws an `InflateError`. */
export function decodeRvl(bytes: Uint8Array, out: Uint16Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const last = bytes.byteLength - 4;
  const length = out.length;
  let [word, groups, at, previous] = [0, 0, 0, 0];
  const take = () => {
    let value = 0;
    for (let shift = 0; ; shift += 3) {
      if (groups === 0) {
        if (at > last) throw InflateError.cut();
        word = view.getUint32(at, true);
        at += 4;
        groups = 8;
      }
      if (shift > 27) throw InflateError.damaged();
      const group = word >>> 28;
      word <<= 4;
      groups--;
      value |= (group & 7) << shift;
      if (group < 8) return value;
    }
  };
  for (let i = 0; i < length; ) {
    const zeros = take();
    if (zeros < 0 || zeros > length - i) throw InflateError.damaged();
    out.fill(0, i, i + zeros);
    i += zeros;
    const others = take();
    if (others < 0 || others > length - i) throw InflateError.damaged();
    for (const end = i + others; i < end; i++) {
      const code = take();
      previous = (previous + ((code >>> 1) ^ -(code & 1))) & 0xffff;
      out[i] = previous;
    }
  }
}
