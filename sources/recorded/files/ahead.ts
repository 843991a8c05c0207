import type { Bytes } from "../../decode/codec.ts";
import { release } from "./release.ts";

/** So much is read at once of what is read in order: some frames. */
const PIECE = 1 << 21;
/** Depth and colour are read by turns, each in order from its own part of a file. */
const PIECES = 3;

interface Piece {
  readonly start: number;
  readonly end: number;
  /** Left out where there is more than is worth being kept. */
  readonly bytes: Bytes | undefined;
}

/**
 * Reads a file of `size` bytes in larger pieces where it is read in order: in a page each read is a question to another process,
 * and costs the page's own thread more than to draw a frame does. What is given is the caller's own.
 */
export function readAhead(read: (start: number, end: number) => Promise<Bytes>, size: number) {
  /** The one used last comes last. */
  const pieces: Piece[] = [];
  const keep = (piece: Piece, instead: Piece | undefined) => {
    const at = instead ? pieces.indexOf(instead) : -1;
    const gone = at >= 0 || pieces.length === PIECES ? pieces.splice(Math.max(0, at), 1)[0] : undefined;
    pieces.push(piece);
    if (gone !== piece && gone?.bytes) release(gone.bytes);
  };
  return async (start: number, end: number): Promise<Bytes> => {
    const before = pieces.findLast((piece) => piece.start <= start && start <= piece.end);
    if (before?.bytes && end <= before.end) {
      keep(before, before);
      return before.bytes.slice(start - before.start, end - before.start);
    }
    const until = before ? Math.min(size, Math.max(end, start + PIECE)) : end;
    const bytes = await read(start, until);
    const whole = bytes.length === until - start && until - start <= PIECE;
    keep({ start, end: until, bytes: whole ? bytes : undefined }, before);
    return until === end && !whole ? bytes : bytes.slice(0, end - start);
  };
}
