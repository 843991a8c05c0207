import { randomBy } from "../../measure/find.ts";

/** Values that often break readers: ends of ranges, negative numbers, lengths beyond the file. */
const SPITEFUL = [0, 1, 0x0a, 0x0d, 0x7f, 0x80, 0xfe, 0xff];

/**
 * A damaged copy of a file: bytes changed, words overwritten with such values, parts cut out, doubled or moved, the end
 * missing. The same seed gives the same damage.
 */
export function mutated(bytes: Uint8Array, seed: number): Uint8Array<ArrayBuffer> {
  const random = randomBy(seed);
  const below = (n: number) => Math.floor(random() * n);
  let out = Uint8Array.from(bytes);
  for (let count = 1 + below(4); count > 0; count--) {
    const at = below(out.length);
    const length = 1 + below(Math.min(64, out.length - at));
    const kind = below(6);
    if (kind === 0) out[at] = below(256);
    else if (kind === 1) out[at] ^= 1 << below(8);
    else if (kind === 2) out.fill(SPITEFUL[below(SPITEFUL.length)], at, at + (1 << below(4)));
    else if (kind === 3) out = joined(out.subarray(0, at), out.subarray(at + length));
    else if (kind === 4) out = joined(out.subarray(0, at + length), out.subarray(at));
    else if (random() < 0.3) out = out.slice(0, at);
    else out.copyWithin(below(out.length), at, at + length);
    if (out.length === 0) return out;
  }
  return out;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
