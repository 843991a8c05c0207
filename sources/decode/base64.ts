import type { Bytes } from "./codec.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** The six bits of each letter of base64; -1 for other bytes. */
const BITS = new Int8Array(256).fill(-1);
for (let i = 0; i < LETTERS.length; i++) BITS[LETTERS.charCodeAt(i)] = i;
const PAD = 0x3d;

/** Decodes base64. Throws where the text is not base64. */
export function fromBase64(text: string): Bytes {
  const bytes = decodeBase64(new TextEncoder().encode(text));
  // The platform's decoder, five times slower, also takes blanks and a text without its padding.
  return bytes ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Decodes the ASCII letters of base64; `undefined` where they are not groups of four, padded by `=`. */
export function decodeBase64(letters: Uint8Array): Bytes | undefined {
  const { length } = letters;
  if (length % 4 !== 0) return undefined;
  const pads = length === 0 || letters[length - 1] !== PAD ? 0 : letters[length - 2] !== PAD ? 1 : 2;
  const bytes = new Uint8Array((length / 4) * 3 - pads);
  let signs = 0;
  for (let from = 0, to = 0; from < length; from += 4, to += 3) {
    const last = from === length - 4 ? pads : 0;
    const third = last === 2 ? 0 : BITS[letters[from + 2]];
    const fourth = last > 0 ? 0 : BITS[letters[from + 3]];
    const bits = (BITS[letters[from]] << 18) | (BITS[letters[from + 1]] << 12) | (third << 6) | fourth;
    signs |= bits;
    bytes[to] = bits >> 16;
    bytes[to + 1] = bits >> 8;
    bytes[to + 2] = bits;
  }
  return signs < 0 ? undefined : bytes;
}
