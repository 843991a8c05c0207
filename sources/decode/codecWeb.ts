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

/** Feeds an inflater only as fast as its results are taken. */
async function* pump(
  inflater: DecompressionStream,
  source: Iterable<Bytes> | AsyncIterable<Bytes>,
): AsyncGenerator<Bytes> {
  const writer = inflater.writable.getWriter();
  const reader: ReadableStreamDefaultReader<Bytes> = inflater.readable.getReader();
  let sourceFailure: unknown;
  const feeding = (async () => {
    try {
      for await (const piece of source) {
        // What the inflater has against a piece comes out of the reader too.
        if (!(await accepted(writer.write(piece)))) return;
      }
      await accepted(writer.close());
    } catch (error) {
      sourceFailure = error;
      await accepted(writer.abort(error));
    }
  })();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (sourceFailure !== undefined) throw sourceFailure;
    // Only the words of the message tell the two apart.
    const cut = /truncated|incomplete|unexpected end|EOF/i.test(error instanceof Error ? error.message : "");
    throw cut ? InflateError.cut() : InflateError.damaged();
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
