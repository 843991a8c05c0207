/** The destination of the bytes. When `write` resolves, all the bytes given to it are in the file. */
export interface Sink {
  /** Writes bytes behind those written before. */
  write(bytes: Uint8Array): Promise<void>;
  /** How many bytes were written so far. */
  position(): bigint;
}

/** Packs a chunk, whose bytes are those of its parts, one behind the other. */
export type CompressChunk = (parts: readonly Uint8Array[]) => {
  /** MCAP's name of the compression: "zstd", "lz4". */
  readonly compression: string;
  /** The compressed chunk. */
  readonly compressedData: Uint8Array;
};
