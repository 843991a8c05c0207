import type { ColorArray } from "../../core/frame.ts";

/** A colour image's pixels as words, r | g << 8 | b << 16 | a << 24: a view, or a copy if its bytes are not aligned to words. */
export function wordsOf({ data }: ColorArray): Uint32Array {
  const { buffer, byteOffset } = data.byteOffset % 4 === 0 ? data : data.slice();
  return new Uint32Array(buffer, byteOffset, data.length / 4);
}
