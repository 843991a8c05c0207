import { snappyUncompress } from "hyparquet";
import { InflateError } from "./codec.ts";

/** The most bytes that one packed byte can become: three packed bytes can stand for a copy of 64 bytes. */
const RATIO = 22;

/** Unpacks a raw Snappy block (Google's format_description.txt) to exactly `size` bytes. Throws an `InflateError`. */
export function unsnappy(packed: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  if (size > RATIO * packed.length + 64) throw InflateError.oversized(packed.length, size);
  const out = new Uint8Array(size);
  try {
    snappyUncompress(packed, out);
  } catch {
    throw InflateError.damaged();
  }
  return out;
}
