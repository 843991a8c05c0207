/** Bytes with a buffer of their own type `ArrayBuffer`, as platform streams and `postMessage` require. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The decoders of the platform: Node's zlib, which works on its own threads, or a browser's streams. */
export interface Codec {
  crc32(bytes: Uint8Array): number;
  /** Inflates all of `bytes` to exactly `size` bytes, and stops as soon as there is one more. Rejects with an `InflateError`. */
  inflate(kind: "zlib" | "raw", bytes: Bytes, size: number): Promise<Bytes>;
  /** Inflates a gzip stream piece by piece, as fast as the pieces are taken. Throws an `InflateError`. */
  gunzip(source: AsyncIterable<Bytes>): AsyncIterable<Bytes>;
}

/** Thrown for compressed data that is damaged, cut short or longer than declared. The message continues "<file>: ". */
export class InflateError extends Error {
  override readonly name = "InflateError";
  static readonly cut = () => new InflateError("its compressed data ends too early");
  static readonly damaged = () => new InflateError("its compressed data is damaged");
  static readonly oversized = (packed: number, size: number) =>
    new InflateError(`its ${packed} bytes are declared to unpack to ${size}, which no compressed recording does`);
  static readonly endless = (size: number) =>
    new InflateError(`it unpacks to more than the ${size} bytes that it declares`);
}

/** How many members a gzip may have of which `bytes` are known: each takes a stream of its own, and programs make them of 64 KiB. */
export const mostMembers = (bytes: number): number => 100 + bytes / 1024;
