import { loadZstdHeap } from "../sources/decode/zstd.ts";
import type { CompressChunk } from "./sink.ts";

const LEVEL = 1;

/** Compresses with zstd the bytes of `parts`, one behind the other. */
export type Compress = (parts: readonly Uint8Array[], level: number) => Uint8Array;

/** Loads the compressor: the same WebAssembly as for unpacking. */
export async function loadZstd(): Promise<Compress> {
  const zstd = await loadZstdHeap();
  return (parts, level) => {
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    const room = zstd._compressBound(size);
    const from = zstd._malloc(size + 1);
    const to = zstd._malloc(room);
    try {
      if (from === 0 || to === 0) throw new Error(`there is not enough memory to compress ${size} bytes`);
      let at = from;
      for (const part of parts) {
        zstd.HEAPU8.set(part, at);
        at += part.length;
      }
      const length = zstd._compress(to, room, from, size, level);
      if (length < 0) throw new Error("zstd cannot compress this");
      return zstd.HEAPU8.slice(to, to + length);
    } finally {
      zstd._free(from);
      zstd._free(to);
    }
  };
}

/** Loads the compressor of chunks of MCAP. */
export async function zstdChunks(): Promise<CompressChunk> {
  const compress = await loadZstd();
  return (parts) => ({ compression: "zstd", compressedData: compress(parts, LEVEL) });
}
