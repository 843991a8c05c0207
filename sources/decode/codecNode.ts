import { promisify } from "node:util";
import { crc32, inflate, inflateRaw, inflateRawSync, inflateSync } from "node:zlib";
import { type Bytes, type Codec, InflateError } from "./codec.ts";

const unpack = { zlib: promisify(inflate), raw: promisify(inflateRaw) };
const unpackSmall = { zlib: inflateSync, raw: inflateRawSync };
/** For fewer bytes than this, packed and unpacked, handing the work to another thread takes ten times as long as the work. */
const SMALL = 2 ** 15;
/** Shorter buffers are parts of one that Node shares among them. */
const OWN_BUFFER = 2 ** 13;

/** Node's native zlib. It inflates on libuv's threads while the main thread goes on. */
export const codec: Codec = {
  crc32: (bytes) => crc32(bytes),
  async inflate(kind, bytes, size) {
    // The chunk is longer than the result: zlib copies several chunks, and also one full chunk, so that they are in memory twice. Memory
    // that zlib does not write to costs nothing.
    const options = { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size + 1, OWN_BUFFER) };
    try {
      const small = bytes.length + size <= SMALL;
      const out = small ? unpackSmall[kind](bytes, options) : await unpack[kind](bytes, options);
      if (out.length > size) throw InflateError.endless(size);
      if (out.length < size) throw InflateError.cut();
      return owned(out);
    } catch (error) {
      throw translate(error, size);
    }
  },
};

const owned = (buffer: Buffer): Bytes => new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.length);

function translate(error: unknown, size: number): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_BUFFER_TOO_LARGE") return InflateError.endless(size);
  if (code === "Z_BUF_ERROR") return InflateError.cut();
  if (typeof code === "string" && code.startsWith("Z_")) return InflateError.damaged();
  return error;
}
