import { type Bytes, InflateError, mostMembers } from "./codec.ts";

/**
 * A browser's stream tells only in words why it fails; these are Chromium's words and similar ones. In a browser with other words, bytes
 * behind a member and members that are cut short count as damage: a good file may be refused, but no damaged one is read.
 */
const WORDS = {
  behind: /junk|after the end|past the end|unexpected input|extra/i,
  cut: /truncated|incomplete|unexpected end|EOF/i,
} as const;

const NONE: Bytes = new Uint8Array(0);
const PIECE = 2 ** 16;
/** The most parts that a piece unpacks to: deflate makes at most 1032 bytes of one, and browsers give parts of 64 KiB or more. */
const MOST_PARTS = 1032 * (PIECE / 2 ** 16) + 1;

/**
 * Unpacks the members of a gzip file one after the other. As gzip does, it ignores bytes behind them that are no member. The browser's
 * stream fails at anything behind the first member and does not tell where that ends. The end is where the member's length is stored and
 * the next member begins.
 */
export async function* gunzipMembers(source: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  const pieces = source[Symbol.asyncIterator]();
  const ahead: Bytes[] = [];
  let [taken, members] = [0, 0];
  const next = async () => {
    if (ahead.length === 0) {
      const piece = (await pieces.next()).value ?? NONE;
      taken += piece.length;
      ahead.push(...cut(piece));
    }
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
      if (++members > mostMembers(taken)) throw InflateError.damaged();
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
  /** The number of bytes unpacked so far. */
  length = 0;

  /** Unpacks a piece into `parts`; false where the member ended within the piece. */
  async take(piece: Bytes): Promise<boolean> {
    // Unpacked parts that nobody has asked for are lost when the stream fails, so all possible ones are asked for first.
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

  /** Ends the stream: the source has no more pieces. */
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

/** The end position of the member that has unpacked to `length` bytes, if another member follows; else −1. */
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

/** Whether a browser's error says that compressed data ends too early. */
export const isCut = (error: unknown): boolean => WORDS.cut.test(wordsOf(error));
