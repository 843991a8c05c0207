import type { Bytes } from "../../decode/codec.ts";
import type { ByteFile } from "../files/files.ts";

/** An element of Matroska's tree (RFC 8794): its kind, and where its contents are. */
export interface Element {
  readonly id: number;
  readonly at: number;
  readonly start: number;
  readonly end: number;
  /** It was begun and never finished, or cut off: it has no size, or a larger one than there is. `end` is that of what it is in. */
  readonly open: boolean;
}

/** What is read around a header at once: mostly its children's headers, too. */
const WINDOW = 4096;
/** A text or a number is not longer than this. */
const MAX_VALUE = 1 << 20;

/** Reads a file's elements where they are. Asks for a window of the file at a time, so that neighbouring headers cost one read. */
export class Ebml {
  #window: Bytes = new Uint8Array(0);
  #from = 0;

  constructor(readonly file: ByteFile) {}

  /** The element at `at` of what ends at `limit`; `undefined` where there is none. */
  async element(at: number, limit: number): Promise<Element | undefined> {
    const bytes = await this.peek(at, Math.min(12, limit - at));
    const idLength = widthOf(bytes[0] ?? 0);
    if (idLength > 4 || bytes.length <= idLength) return undefined;
    const sizeLength = widthOf(bytes[idLength]);
    const header = idLength + sizeLength;
    if (sizeLength > 8 || bytes.length < header) return undefined;
    const id = numberOf(bytes.subarray(0, idLength));
    const size = sizeOf(bytes.subarray(idLength, header));
    const start = at + header;
    // All ones is no size: a writer that was stopped had yet to fill it in.
    const open = size > limit - start || size >= 2 ** (7 * sizeLength) - 1;
    return { id, at, start, end: open ? limit : start + size, open };
  }

  /** The whole elements within another, in order. */
  async *children({ start, end }: Pick<Element, "start" | "end">): AsyncGenerator<Element> {
    for (let at = start; at < end; ) {
      const child = await this.element(at, end);
      if (!child || child.open) return;
      yield child;
      at = child.end;
    }
  }

  /** Contents, up to a megabyte. */
  async bytes({ start, end }: Element): Promise<Bytes> {
    return this.file.read(start, Math.min(end - start, MAX_VALUE));
  }

  async text(element: Element): Promise<string> {
    return new TextDecoder().decode(await this.bytes(element)).replace(/\0.*$/s, "");
  }

  /** A whole number of up to eight bytes; exact up to 2^53. */
  async number({ start, end }: Element): Promise<number> {
    return numberOf(await this.peek(start, Math.min(8, end - start)));
  }

  async float({ start, end }: Element): Promise<number> {
    const bytes = await this.peek(start, Math.min(8, end - start));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return bytes.length === 8 ? view.getFloat64(0) : bytes.length === 4 ? view.getFloat32(0) : Number.NaN;
  }

  /** A few bytes; fewer at the end of the file. */
  async peek(at: number, length: number): Promise<Bytes> {
    const inside = () => at >= this.#from && at + length <= this.#from + this.#window.length;
    if (!inside()) {
      this.#window = await this.file.read(at, WINDOW);
      this.#from = at;
    }
    return this.#window.subarray(at - this.#from, at - this.#from + Math.max(0, length));
  }
}

/** A number whose first byte's highest set bit says how many bytes it takes, and is no part of it. */
export const sizeOf = (bytes: Uint8Array): number =>
  (bytes[0] & (0xff >> bytes.length)) * 256 ** (bytes.length - 1) + numberOf(bytes.subarray(1));

/** How many bytes a number takes, by the zeros that its first one begins with. */
export const widthOf = (first: number) => Math.clz32(first) - 23;

export const numberOf = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum * 256 + byte, 0);
