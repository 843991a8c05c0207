import { type Bytes, type Codec, InflateError } from "./codec.ts";

/** The browser's own inflate (`DecompressionStream`), which works off the thread that asks. */
export const codec: Codec = {
  crc32(bytes) {
    let crc = -1;
    for (let i = 0; i < bytes.length; i++) crc = table[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
    return ~crc >>> 0;
  },
  async inflate(kind, bytes, size) {
    const out = new Uint8Array(size);
    let length = 0;
    for await (const piece of pump(new DecompressionStream(kind === "raw" ? "deflate-raw" : "deflate"), [bytes])) {
      if (length + piece.length > size) throw InflateError.endless(size);
      out.set(piece, length);
      length += piece.length;
    }
    if (length < size) throw InflateError.cut();
    return out;
  },
  gunzip: (source) => pump(new DecompressionStream("gzip"), source),
};

/** Feeds a stream only as fast as its results are taken. */
async function* pump(
  stream: DecompressionStream,
  source: Iterable<Bytes> | AsyncIterable<Bytes>,
): AsyncGenerator<Bytes> {
  const writer = stream.writable.getWriter();
  const reader: ReadableStreamDefaultReader<Bytes> = stream.readable.getReader();
  let failure: unknown;
  const feeding = (async () => {
    try {
      for await (const piece of source) {
        await writer.ready;
        await writer.write(piece);
      }
      await writer.close();
    } catch (error) {
      // A TypeError is the inflater's own and comes out of the reader too; anything else is the source's.
      if (!(error instanceof TypeError)) failure = error;
      await writer.abort(error).catch(() => {});
    }
  })();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
  } catch (error) {
    if (failure !== undefined) throw failure;
    // Browsers tell "cut" from "damaged" only in the words of the message.
    if (error instanceof TypeError)
      throw /incomplete|end of|unexpected/i.test(error.message) ? InflateError.cut() : InflateError.damaged();
    throw error;
  } finally {
    await reader.cancel().catch(() => {});
    await feeding;
  }
}

const table = new Int32Array(256).map((_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});
