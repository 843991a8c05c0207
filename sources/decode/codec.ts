/** Bytes with a buffer of their own type `ArrayBuffer`, as platform streams and `postMessage` require. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The decoders of the platform: Node's zlib, which works on its own threads, or a browser's streams. */
export interface Codec {
  crc32(bytes: Uint8Array): number;
  /** Inflates all of `bytes` to exactly `size` bytes, and stops as soon as there is one more. Rejects with an `InflateError`. */
  inflate(kind: "zlib" | "raw", bytes: Bytes, size: number): Promise<Bytes>;
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
