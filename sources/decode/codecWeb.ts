import { type Bytes, type Codec, InflateError } from "./codec.ts";

/** A browser's stream tells only in words that its data ends too early; these are Chromium's words and similar ones. */
const isCut = (error: unknown): boolean =>
  /truncated|incomplete|unexpected end|EOF/i.test(error instanceof Error ? error.message : "");

/** The browser's `DecompressionStream`, which works off the calling thread. */
export const codec: Codec = {
  crc32(bytes) {
    let crc = -1;
    for (let i = 0; i < bytes.length; i++) crc = table[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
    return ~crc >>> 0;
  },
  async inflate(kind, bytes, size) {
    const out = new Uint8Array(size);
    let length = 0;
    for await (const piece of pump(new DecompressionStream(kind === "raw" ? "deflate-raw" : "deflate"), bytes)) {
      if (length + piece.length > size) throw InflateError.endless(size);
      out.set(piece, length);
      length += piece.length;
    }
    if (length < size) throw InflateError.cut();
    return out;
  },
};

/** Feeds a decompression stream, and gives its results as they come. */
async function* pump(inflater: DecompressionStream, bytes: Bytes): AsyncGenerator<Bytes> {
  const writer = inflater.writable.getWriter();
  const reader: ReadableStreamDefaultReader<Bytes> = inflater.readable.getReader();
  // An error of the stream also comes out of its reader, so the writer's copy of it is ignored.
  const feeding = accepted(writer.write(bytes)).then(() => accepted(writer.close()));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw isCut(error) ? InflateError.cut() : InflateError.damaged();
  } finally {
    await accepted(reader.cancel());
    await feeding;
  }
}

const accepted = (writing: Promise<void>): Promise<boolean> =>
  writing.then(
    () => true,
    () => false,
  );

const table = new Int32Array(256).map((_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});
