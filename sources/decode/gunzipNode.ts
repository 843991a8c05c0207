import { once } from "node:events";
import { crc32, createInflateRaw } from "node:zlib";
import { type Bytes, InflateError } from "./codec.ts";

/** A member's header is not longer than this, with the names in it. */
const MOST_HEADER = 2 ** 17;
const TRAILER = 8;

/**
 * A gzip's members, one after the other; bytes behind them that are no member are passed over, as gzip does. They are taken apart
 * here because Node's own `Gunzip` fails at such bytes, and loses what it has just unpacked.
 *
 *     1f 8b 08 | flags … name | deflated | checksum, length | 1f 8b 08 … | anything
 */
export async function* gunzipMembers(source: AsyncIterable<Bytes>): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  /** What has been taken of the source and belongs to nothing yet. */
  let held: Buffer = Buffer.alloc(0);
  const hold = async (length: number) => {
    while (held.length < length) {
      const { done, value } = await pieces.next();
      if (done) return;
      held = Buffer.concat([held, value]);
    }
  };
  for (let isFirst = true; ; isFirst = false) {
    await hold(MOST_HEADER);
    const begin = endOfHeader(held);
    if (begin === undefined && !isFirst) return;
    if (begin === undefined) throw held.length < 10 ? InflateError.cut() : InflateError.damaged();
    let [sum, length] = [0, 0];
    const leave = (left: Uint8Array) => {
      held = Buffer.from(left.buffer, left.byteOffset, left.length);
    };
    for await (const piece of deflated(held.subarray(begin), pieces, leave)) {
      sum = crc32(piece, sum);
      length += piece.length;
      yield piece;
    }
    await hold(TRAILER);
    if (held.length < TRAILER) throw InflateError.cut();
    if (held.readUInt32LE(0) !== sum || held.readUInt32LE(4) !== length % 2 ** 32) throw InflateError.damaged();
    held = held.subarray(TRAILER);
  }
}

/** Where the data begins behind the header that `bytes` begin with; `undefined` where they begin with none. */
function endOfHeader(bytes: Buffer): number | undefined {
  if (bytes.length < 10 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return undefined;
  const flags = bytes[3];
  let at = 10;
  if (flags & 4) at += 2 + (at + 2 <= bytes.length ? bytes.readUInt16LE(at) : 0);
  // The file's name, and a comment.
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    at = end + 1;
  }
  if (flags & 2) at += 2;
  return at <= bytes.length ? at : undefined;
}

/**
 * Inflates `first` and what comes after it, to the end of the deflated data. `leave` is given what was taken of `rest` and is not
 * of it.
 */
async function* deflated(
  first: Uint8Array,
  rest: AsyncIterator<Bytes>,
  leave: (left: Uint8Array) => void,
): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: 1 << 16 });
  const ended = Promise.race([once(inflater, "end"), once(inflater, "close")]).catch(() => {});
  let [piece, before] = [first, 0];
  const feeding = (async () => {
    for (;;) {
      // Of a piece with the end in it Node does not say that it was taken.
      await Promise.race([new Promise((resolve) => inflater.write(piece, resolve)), ended]);
      if (inflater.bytesWritten - before < piece.length) return;
      const next = await rest.next();
      if (next.done) return void inflater.end();
      before += piece.length;
      piece = next.value;
    }
  })();
  feeding.catch((error) => inflater.destroy(error));
  try {
    yield* inflater;
    await feeding;
    leave(piece.subarray(inflater.bytesWritten - before));
  } finally {
    inflater.destroy();
    await feeding.catch(() => {});
  }
}
