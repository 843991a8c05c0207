import { type Bytes, InflateError } from "../codec.ts";
import { loadCodec } from "../platform.ts";
import type { Header } from "./header.ts";
import { unpackPiz } from "./piz.ts";

/** Unpacks a block of `height` rows to `size` bytes. Throws an `InflateError`. */
export async function unpackBlock(packed: Bytes, header: Header, height: number, size: number): Promise<Bytes> {
  const { compression, channels, width } = header;
  // A block that compression would not make smaller is stored uncompressed.
  if (compression === "none" || packed.length === size) {
    if (packed.length !== size) throw InflateError.cut();
    return packed;
  }
  if (compression === "PIZ") return unpackPiz(packed, channels, width, height);
  const mixed =
    compression === "RLE" ? unpackRle(packed, size) : await (await loadCodec()).inflate("zlib", packed, size);
  for (let i = 1; i < size; i++) mixed[i] += mixed[i - 1] - 128;
  // The even bytes are stored first, then the odd ones.
  const half = (size + 1) >> 1;
  const out = new Uint8Array(size);
  for (let i = 0; i < size; i++) out[i] = mixed[(i >> 1) + (i & 1 ? half : 0)];
  return out;
}

/** Undoes run-length encoding. A count n below 0 is followed by -n literal bytes; any other n by a byte that is repeated n + 1 times. */
function unpackRle(packed: Bytes, size: number): Bytes {
  const out = new Uint8Array(size);
  let to = 0;
  for (let at = 0; at < packed.length; ) {
    const count = (packed[at++] << 24) >> 24;
    const length = count < 0 ? -count : count + 1;
    if (to + length > size) throw InflateError.damaged();
    if (count < 0) out.set(packed.subarray(at, at + length), to);
    else out.fill(packed[at], to, to + length);
    at += count < 0 ? length : 1;
    to += length;
  }
  if (to !== size) throw InflateError.cut();
  return out;
}
