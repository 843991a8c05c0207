import { InflateError } from "./codec.ts";

/** The most bytes that one packed byte can become: three packed bytes can stand for a copy of 64 bytes. */
const RATIO = 22;

/** Unpacks a raw Snappy block (Google's format_description.txt) to exactly `size` bytes. Throws an `InflateError`. */
export function unsnappy(packed: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  if (size > RATIO * packed.length + 64) throw InflateError.oversized(packed.length, size);
  const out = new Uint8Array(size);
  let [at, to] = [0, 0];
  while (packed[at] >= 128) at++;
  at++;
  const number = (bytes: number) => {
    let value = 0;
    for (let i = 0; i < bytes; i++) value += packed[at++] * 256 ** i;
    return value;
  };
  while (at < packed.length) {
    const tag = packed[at++];
    const kind = tag & 3;
    if (kind === 0) {
      const length = (tag >> 2 < 60 ? tag >> 2 : number((tag >> 2) - 59)) + 1;
      if (!(length <= packed.length - at && length <= size - to)) throw InflateError.damaged();
      out.set(packed.subarray(at, at + length), to);
      at += length;
      to += length;
      continue;
    }
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = kind === 1 ? (tag >> 5) * 256 + packed[at++] : number(kind === 2 ? 2 : 4);
    if (!(back > 0 && back <= to && length <= size - to)) throw InflateError.damaged();
    if (back >= length) out.copyWithin(to, to - back, to - back + length);
    else for (let i = 0; i < length; i++) out[to + i] = out[to + i - back];
    to += length;
  }
  if (to < size) throw InflateError.cut();
  return out;
}
