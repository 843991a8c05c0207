import type { Bytes } from "../decode/codec.ts";
import type { ByteFile } from "./files.ts";
import { FileWindow } from "./window.ts";

/** A position in an archive that only moves forward. */
export interface Cursor {
  readonly position: number;
  /** Reads the next `length` bytes into memory of their own; fewer at the end. */
  take(length: number): Promise<Bytes>;
  /** Skips `length` bytes, handing them to `sink` if given. Resolves to -1 where the archive ends before. */
  pass(length: number, sink?: (piece: Bytes) => Promise<void>): Promise<number>;
}

/** A cursor over a file. Skipping reads nothing; short reads share one larger read. */
export function fileCursor(file: ByteFile): Cursor {
  const window = new FileWindow(file);
  let position = 0;
  return {
    get position() {
      return position;
    },
    async take(length) {
      const bytes = (await window.read(position, length)).slice();
      position += bytes.length;
      return bytes;
    },
    async pass(length) {
      position += length;
      return position > file.size ? -1 : length;
    },
  };
}

/** A cursor over a stream. The cursor takes no more of the stream than its caller asks for, and holds one piece of the stream. */
export function streamCursor(stream: AsyncIterator<Bytes>): Cursor {
  let position = 0;
  let piece: Bytes = new Uint8Array(0);
  /** Up to `length` bytes, not copied; none at the end. */
  const next = async (length: number): Promise<Bytes> => {
    while (piece.length === 0) {
      const { done, value } = await stream.next();
      if (done) return piece;
      piece = value;
    }
    const part = piece.subarray(0, length);
    piece = piece.subarray(part.length);
    position += part.length;
    return part;
  };
  const pass: Cursor["pass"] = async (length, sink) => {
    for (let left = length; left > 0; ) {
      const part = await next(left);
      if (part.length === 0) return -1;
      await sink?.(part);
      left -= part.length;
    }
    return length;
  };
  return {
    get position() {
      return position;
    },
    async take(length) {
      const whole = new Uint8Array(length);
      let at = 0;
      await pass(length, async (part) => {
        whole.set(part, at);
        at += part.length;
      });
      return whole.subarray(0, at);
    },
    pass,
  };
}
