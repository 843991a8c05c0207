import {
  Z_BUF_ERROR,
  Z_NO_FLUSH,
  Z_OK,
  Z_STREAM_END,
  ZStream,
  zlibInflate,
  zlibInflateInit2,
  zlibInflateReset,
} from "pako";
import { type Bytes, InflateError } from "./codec.ts";

/** zlib's window for members of gzip, whose checksums it then compares. */
const GZIP = 31;
const PIECE = 2 ** 16;
/** The bytes by which a member begins. */
const BEGIN = [0x1f, 0x8b, 8] as const;

/**
 * The most members of a gzip of which `bytes` have been read: each member takes a stream of its own, and programs make members of 64 KiB.
 */
const mostMembers = (bytes: number): number => 100 + bytes / 1024;

/**
 * Unpacks the members of a gzip file one after the other, piece by piece, as fast as the pieces are taken. As gzip does, it ignores bytes
 * behind them that are no member. (The streams of Node and of browsers fail at such bytes, each in its own way, and lose what came before.)
 * Throws an `InflateError`.
 */
export async function* gunzip(source: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  const stream = new ZStream();
  zlibInflateInit2(stream, GZIP);
  let held: Bytes = new Uint8Array();
  let [taken, members, isWithin] = [0, 0, false];
  for await (const piece of source) {
    taken += piece.length;
    stream.input = held.length > 0 ? joined(held, piece) : piece;
    [stream.next_in, stream.avail_in, held] = [0, stream.input.length, new Uint8Array()];
    for (;;) {
      if (!isWithin) {
        if (stream.avail_in < BEGIN.length) {
          held = stream.input.slice(stream.next_in) as Bytes;
          break;
        }
        const isMember = BEGIN.every((byte, i) => stream.input[stream.next_in + i] === byte);
        if (!isMember && members > 0) return;
        if (!isMember || ++members > mostMembers(taken)) throw InflateError.damaged();
        zlibInflateReset(stream);
        isWithin = true;
      }
      stream.output = new Uint8Array(PIECE);
      [stream.next_out, stream.avail_out] = [0, PIECE];
      const status = zlibInflate(stream, Z_NO_FLUSH);
      if (stream.next_out > 0) yield stream.output.subarray(0, stream.next_out);
      if (status === Z_STREAM_END) isWithin = false;
      else if (status !== Z_OK && status !== Z_BUF_ERROR) throw InflateError.damaged();
      else if (stream.avail_out > 0) break;
    }
  }
  if (isWithin || members === 0) throw InflateError.cut();
}

function joined(first: Bytes, second: Bytes): Bytes {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
