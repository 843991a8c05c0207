import { type Bytes, InflateError } from "./codec.ts";

/**
 * A browser's stream tells by words alone why it fails: these are Chromium's and what is near them. Where one has other words, bytes behind
 * a member and a member that is cut are called damage: a file may be refused that is whole, none is read that is not.
 */
const WORDS = {
  behind: /junk|after the end|past the end|unexpected input|extra/i,
  cut: /truncated|incomplete|unexpected end|EOF/i,
} as const;

const NONE: Bytes = new Uint8Array(0);
const PIECE = 2 ** 16;
/** A piece comes to so many parts at most: deflate makes 1032 bytes of one, and browsers hand out 64 KiB or more. */
const MOST_PARTS = 1032 * (PIECE / 2 ** 16) + 1;

/**
 * A gzip's members, one after the other; bytes behind them that are no member are passed over, as gzip does. The browser's stream
 * fails at whatever comes behind the first, whose end it does not tell. That is where the member's length stands and the next begins.
 */
export async function* gunzipMembers(source: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  const pieces = source[Symbol.asyncIterator]();
  const ahead: Bytes[] = [];
  const next = async () => {
    if (ahead.length === 0) ahead.push(...cut((await pieces.next()).value ?? NONE));
    return ahead.shift();
  };
  let member = new Member();
  try {
    for (let [piece, before] = [await next(), NONE]; piece; [piece, before] = [await next(), piece]) {
      const isWithin = await member.take(piece);
      yield* member.parts.splice(0);
      if (isWithin) continue;
      const around = joined(before.subarray(-8), piece, (await next()) ?? NONE);
      const end = endOf(around, member.length);
      if (end < 0) return;
      ahead.unshift(...cut(around.subarray(end)));
      [member, piece] = [new Member(), NONE];
    }
    await member.close();
    yield* member.parts;
  } finally {
    await member.cancel();
  }
}

class Member {
  readonly #stream = new DecompressionStream("gzip");
  readonly #writer = this.#stream.writable.getWriter();
  readonly #reader: ReadableStreamDefaultReader<Bytes> = this.#stream.readable.getReader();
  #asked = 0;
  readonly parts: Bytes[] = [];
  /** Of what it has unpacked to. */
  length = 0;

  /** Unpacks a piece into `parts`; false where the member ended before the piece did. */
  async take(piece: Bytes): Promise<boolean> {
    // What nobody has asked for is forgotten when the stream fails.
    while (this.#asked < MOST_PARTS) this.#ask();
    try {
      await this.#writer.write(piece);
      return true;
    } catch (error) {
      if (WORDS.behind.test(wordsOf(error))) return false;
      throw InflateError.damaged();
    }
  }

  #ask(): void {
    this.#asked++;
    const take = ({ value }: ReadableStreamReadResult<Bytes>) => {
      this.#asked--;
      if (!value) return;
      this.length += value.length;
      this.parts.push(value);
    };
    this.#reader.read().then(take, () => {});
  }

  /** There is no more of the source. */
  async close(): Promise<void> {
    this.#ask();
    await this.#writer.close().catch((error) => {
      throw isCut(error) ? InflateError.cut() : InflateError.damaged();
    });
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}

/** Where the member ends that has unpacked to `length` bytes, if another follows it; else −1. */
function endOf(bytes: Bytes, length: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 4; at + 2 <= bytes.length; at++) {
    if (view.getUint16(at) === 0x1f8b && view.getUint32(at - 4, true) === length % 2 ** 32) return at;
  }
  return -1;
}

function cut(bytes: Bytes): Bytes[] {
  const count = Math.ceil(bytes.length / PIECE);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * PIECE, (i + 1) * PIECE));
}

function joined(...parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : "");

/** Whether the browser says that compressed data ends too early. */
export const isCut = (error: unknown): boolean => WORDS.cut.test(wordsOf(error));
