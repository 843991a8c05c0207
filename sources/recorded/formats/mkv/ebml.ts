import type { Bytes } from "../../../decode/codec.ts";
import type { ByteFile } from "../../../files/files.ts";
import { FileWindow } from "../../../files/window.ts";

/** An element of Matroska's tree (RFC 8794): its kind, and the position of its contents. */
export interface Element {
  readonly id: number;
  readonly at: number;
  readonly start: number;
  readonly end: number;
  /**
   * True where a writer was stopped or the file is cut off: the element has no size, or a larger one than there is room for. `end` is then
   * the end of the element around it.
   */
  readonly open: boolean;
}

/** The most bytes of a text or a number. */
const MAX_VALUE = 1 << 20;

/** The most bytes of an element's header: an identifier of four bytes, a size of eight. */
const HEADER = 12;

/** Reads a file's elements in place. */
export class Ebml {
  readonly #window: FileWindow;

  constructor(readonly file: ByteFile) {
    this.#window = new FileWindow(file);
  }

  /** Reads the element at `at`, inside an element that ends at `limit`; `undefined` where there is none. */
  async element(at: number, limit: number): Promise<Element | undefined> {
    const here = this.here(at, limit);
    return here === "unread" ? elementIn(await this.peek(at, Math.min(HEADER, limit - at)), at, limit) : here;
  }

  /** Does as `element`, but at once, where the window already holds the header: a file can have an element for every two of its bytes. */
  here(at: number, limit: number): Element | undefined | "unread" {
    const bytes = this.#window.held(at, Math.min(HEADER, limit - at));
    return bytes ? elementIn(bytes, at, limit) : "unread";
  }

  /** Visits the whole elements within another, in order. */
  async each({ start, end }: Pick<Element, "start" | "end">, visit: (child: Element) => Promise<void> | undefined) {
    for (let at = start; at < end; ) {
      const here = this.here(at, end);
      const child = here === "unread" ? await this.element(at, end) : here;
      if (!child || child.open) return;
      const work = visit(child);
      if (work) await work;
      at = child.end;
    }
  }

  /** An element's contents, up to a megabyte. */
  async bytes({ start, end }: Element): Promise<Bytes> {
    return (await this.peek(start, Math.min(end - start, MAX_VALUE))).slice();
  }

  async text(element: Element): Promise<string> {
    return new TextDecoder().decode(await this.bytes(element)).replace(/\0.*$/s, "");
  }

  /** A whole number of up to eight bytes; exact up to 2^53. */
  async number({ start, end }: Element): Promise<number> {
    return numberOf(await this.peek(start, Math.min(8, end - start)));
  }

  /** A few bytes; fewer at the end of the file. They are valid until the next read. */
  async peek(at: number, length: number): Promise<Bytes> {
    return length > 0 ? this.#window.read(at, length) : new Uint8Array(0);
  }
}

function elementIn(bytes: Uint8Array, at: number, limit: number): Element | undefined {
  const idLength = widthOf(bytes[0] ?? 0);
  if (idLength > 4 || bytes.length <= idLength) return undefined;
  const sizeLength = widthOf(bytes[idLength]);
  const header = idLength + sizeLength;
  if (sizeLength > 8 || bytes.length < header) return undefined;
  const id = numberIn(bytes, 0, idLength);
  const first = bytes[idLength] & (0xff >> sizeLength);
  const size = first * 256 ** (sizeLength - 1) + numberIn(bytes, idLength + 1, header);
  const start = at + header;
  // A size with all bits set means "unknown": the writer was stopped before it filled in the size.
  const open = size > limit - start || size >= 2 ** (7 * sizeLength) - 1;
  return { id, at, start, end: open ? limit : start + size, open };
}

/** A number whose first byte's highest set bit gives the number of bytes and is not part of the value. */
export const sizeOf = (bytes: Uint8Array): number =>
  (bytes[0] & (0xff >> bytes.length)) * 256 ** (bytes.length - 1) + numberOf(bytes.subarray(1));

/** The number of bytes of such a number, by the leading zeros of its first byte. */
export const widthOf = (first: number) => Math.clz32(first) - 23;

const numberOf = (bytes: Uint8Array): number => numberIn(bytes, 0, bytes.length);

function numberIn(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i++) number = number * 256 + bytes[i];
  return number;
}
