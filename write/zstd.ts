import { loadZstdHeap } from "../sources/decode/zstd.ts";

/** Compresses bytes with zstd. */
export type Compress = (data: Uint8Array, level: number) => Uint8Array;

/** Loads the compressor: the same WebAssembly as for unpacking. */
export async function loadZstd(): Promise<Compress> {
  const zstd = await loadZstdHeap();
  return (data, level) => {
    const room = zstd._compressBound(data.length);
    const from = zstd._malloc(data.length + 1);
    const to = zstd._malloc(room);
    try {
      if (from === 0 || to === 0) throw new Error(`there is not enough memory to compress ${data.length} bytes`);
      zstd.HEAPU8.set(data, from);
      const length = zstd._compress(to, room, from, data.length, level);
      if (length < 0) throw new Error("zstd cannot compress this");
      return zstd.HEAPU8.slice(to, to + length);
    } finally {
      zstd._free(from);
      zstd._free(to);
    }
  };
}
