import { SourceError } from "../../../core/source.ts";
import type { CameraRequest, DriverName } from "../../live/driver.ts";
import { type FrameHeader, isHeader } from "./answers.ts";

// How the process that reads a camera and the process that shows it talk. Requests and answers go through Node's channel between the two;
// frames through a pipe of their own, since the channel would copy them several times:
//
//     "DLCF"   the bytes of the header and of four images (u32 each)   the header (JSON)   depth   colour   infrared   right infrared

/** Messages to the reading process. */
export type Request =
  | { readonly kind: "list"; readonly driver: DriverName }
  | { readonly kind: "open"; readonly request: CameraRequest }
  | { readonly kind: "set"; readonly name: string; readonly value: number }
  /** Whether frames are wanted. Until then, the camera's frames are thrown away. */
  | { readonly kind: "watch"; readonly on: boolean };

/** A frame as it arrived: its images are memory of its own. */
export interface WiredFrame {
  readonly header: FrameHeader;
  readonly depth: Uint16Array<ArrayBuffer>;
  readonly color: Uint8Array<ArrayBuffer> | undefined;
  readonly infrared: Uint8Array<ArrayBuffer> | undefined;
  readonly right: Uint8Array<ArrayBuffer> | undefined;
}

const MAGIC = 0x46434c44;
const PREFIX = 24;
/** The most bytes of a header, and of an image: 16 megapixels of colour. */
const MAX_HEADER = 1 << 16;
const MAX_IMAGE = 1 << 26;

const NO_FRAME = "the process that reads the camera sent what is no frame";

function headerIn(bytes: Uint8Array, images: readonly Uint8Array[]): FrameHeader {
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const lengths = images.map(({ length }) => length);
    if (isHeader(header, lengths)) return header;
  } catch {}
  throw new SourceError(NO_FRAME);
}

/** The bytes that go before a frame's images, of which these are the lengths: depth, colour, infrared and the right one. */
export function headOf(header: FrameHeader, depthBytes = 0, colorBytes = 0, greyBytes = 0, rightBytes = 0): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(PREFIX + text.length);
  const view = new DataView(head.buffer);
  [MAGIC, text.length, depthBytes, colorBytes, greyBytes, rightBytes].forEach((value, i) => {
    view.setUint32(4 * i, value, true);
  });
  head.set(text, PREFIX);
  return head;
}

/** Puts frames together from the pieces in which a pipe delivers them. Each byte is copied once, to where it stays. */
export class FrameParser {
  readonly #prefix = new Uint8Array(PREFIX);
  #parts: Uint8Array<ArrayBuffer>[] = [this.#prefix];
  #part = 0;
  #at = 0;

  constructor(readonly onFrame: (frame: WiredFrame) => void) {}

  /** Takes the next piece. Throws a `SourceError` where a piece is not of this form, since nothing after it can be understood. */
  push(piece: Uint8Array): void {
    for (let from = 0; from < piece.length; ) {
      const part = this.#parts[this.#part] ?? this.#prefix;
      const count = Math.min(part.length - this.#at, piece.length - from);
      part.set(piece.subarray(from, from + count), this.#at);
      from += count;
      this.#at += count;
      while (this.#at === (this.#parts[this.#part]?.length ?? -1)) this.#next();
    }
  }

  #next(): void {
    this.#at = 0;
    if (this.#part === 0) this.#begin();
    this.#part++;
    if (this.#part < this.#parts.length) return;
    const [, header, depth, color, infrared, right] = this.#parts;
    this.#parts = [this.#prefix];
    this.#part = 0;
    if (!header || !depth || !color || !infrared || !right) return;
    this.onFrame({
      header: headerIn(header, [depth, color, infrared, right]),
      depth: new Uint16Array(depth.buffer),
      color: color.length > 0 ? color : undefined,
      infrared: infrared.length > 0 ? infrared : undefined,
      right: right.length > 0 ? right : undefined,
    });
  }

  #begin(): void {
    const view = new DataView(this.#prefix.buffer);
    const [magic, header = 0, ...images] = [0, 4, 8, 12, 16, 20].map((at) => view.getUint32(at, true));
    if (magic !== MAGIC || header > MAX_HEADER || Math.max(...images) > MAX_IMAGE || images[0] % 2 !== 0)
      throw new SourceError(NO_FRAME);
    this.#parts = [this.#prefix, ...[header, ...images].map((bytes) => new Uint8Array(bytes))];
  }
}
