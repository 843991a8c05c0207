import { promisify } from "node:util";
import { crc32, inflate, inflateRaw } from "node:zlib";
import { type Bytes, type Codec, InflateError } from "./codec.ts";
import { gunzipMembers } from "./gunzipNode.ts";

const unpack = { zlib: promisify(inflate), raw: promisify(inflateRaw) };

/** Node's zlib: native, and the inflating runs on libuv's threads while the main thread goes on. */
export const codec: Codec = {
  crc32: (bytes) => crc32(bytes),
  async inflate(kind, bytes, size) {
    // A piece as long as the result, unless that was announced absurdly long: then memory grows with what really comes.
    const chunkSize = Math.min(Math.max(size, 64), 1 << 22);
    try {
      const out = await unpack[kind](bytes, { maxOutputLength: Math.max(size, 1), chunkSize });
      if (out.length > size) throw InflateError.endless(size);
      if (out.length < size) throw InflateError.cut();
      return owned(out);
    } catch (error) {
      throw translate(error, size);
    }
  },
  async *gunzip(source) {
    try {
      for await (const piece of gunzipMembers(source)) yield owned(piece);
    } catch (error) {
      throw translate(error, Number.NaN);
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
