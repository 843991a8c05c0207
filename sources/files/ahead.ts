import { release } from "../../core/release.ts";
import type { Bytes } from "../decode/codec.ts";

/** The bytes read at once while a file is read in order: some frames. */
const PIECE = 1 << 21;
/** The number of pieces kept: depth and colour are read by turns, each in order from its own part of the file. */
const PIECES = 3;

interface Piece {
  readonly start: number;
  readonly end: number;
  /** Absent where the piece is too large to be kept. */
  readonly bytes: Bytes | undefined;
}

/**
 * Wraps `read` for a file of `size` bytes: a file read in order is read in larger pieces. In a page each read asks another process, and
 * costs the page's thread more than drawing a frame does. The caller owns the bytes that it gets.
 */
export function readAhead(read: (start: number, end: number) => Promise<Bytes>, size: number) {
  /** The pieces kept, the one used last at the end. */
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
