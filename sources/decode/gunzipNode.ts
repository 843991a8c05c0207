import { once } from "node:events";
import { crc32, createInflateRaw } from "node:zlib";
import { type Bytes, InflateError, mostMembers } from "./codec.ts";

/** The most bytes of a member's header, with the names in it. */
const MOST_HEADER = 2 ** 17;
const TRAILER = 8;

/**
 * Unpacks the members of a gzip file one after the other. As gzip does, it ignores bytes behind them that are no member. It splits the
 * members itself, because Node's `Gunzip` fails at such bytes and loses what it has just unpacked.
 *
 *     1f 8b 08 | flags … name | deflated | checksum, length | 1f 8b 08 … | anything
 */
export async function* gunzipMembers(source: AsyncIterable<Bytes>): AsyncGenerator<Buffer> {
  let taken = 0;
  const all = source[Symbol.asyncIterator]();
  const pieces: AsyncIterator<Bytes> = {
    async next() {
      const piece = await all.next();
      if (!piece.done) taken += piece.value.length;
      return piece;
    },
  };
  /** Bytes read from the source and not used yet. */
  let held: Buffer = Buffer.alloc(0);
  const hold = async (length: number) => {
    while (held.length < length) {
      const { done, value } = await pieces.next();
      if (done) return;
      held = Buffer.concat([held, value]);
    }
  };
  for (let members = 0; ; members++) {
    await hold(MOST_HEADER);
    const begin = endOfHeader(held);
    if (begin === undefined && members > 0) return;
    if (members > mostMembers(taken)) throw InflateError.damaged();
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

/** The length of the header that `bytes` begin with; `undefined` where they do not begin with one. */
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

/** Inflates `first` and the pieces after it, to the end of the deflated data. `leave` gets the bytes behind that end. */
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
      // Node does not call back for a piece that contains the end of the data.
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
