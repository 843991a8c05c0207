/** Bytes that own their memory, as platform streams and `postMessage` want them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** What decoding needs from the platform: Node's zlib works on its own threads, a browser has streams. */
export interface Codec {
  crc32(bytes: Uint8Array): number;
  /**
   * Inflates all of `bytes`, which must give exactly `size` bytes; inflating stops as soon as there is one more.
   * Throws an `InflateError`.
   */
  inflate(kind: "zlib" | "raw", bytes: Bytes, size: number): Promise<Bytes>;
  /** Inflates a gzip stream piece by piece, no faster than the pieces are taken. Throws an `InflateError`. */
  gunzip(source: AsyncIterable<Bytes>): AsyncIterable<Bytes>;
}

/** Compressed data that is damaged, cut short or longer than announced; the message continues "<file>: ". */
export class InflateError extends Error {
  override readonly name = "InflateError";
  static readonly cut = () => new InflateError("its compressed data ends too early");
  static readonly damaged = () => new InflateError("its compressed data is damaged");
  static readonly endless = (size: number) =>
    new InflateError(`it unpacks to more than the ${size} bytes it announces`);
}
