import { fromBase64 } from "../decode/base64.ts";

/** Compresses with zstd. */
export type Compress = (data: Uint8Array, level: number) => Uint8Array;

/** The same WebAssembly that unpacks, loaded when it is asked for. */
export async function loadZstd(): Promise<Compress> {
  const [{ default: load }, { default: binary }] = await Promise.all([
    import("@foxglove/wasm-zstd/dist/wasm-zstd.js"),
    import("@foxglove/wasm-zstd/dist/wasm-zstd.wasm?base64"),
  ]);
  const zstd = await load({ wasmBinary: fromBase64(binary) });
  return (data, level) => {
    const room = zstd._compressBound(data.length);
    const from = zstd._malloc(data.length + 1);
    const to = zstd._malloc(room);
    try {
      if (from === 0 || to === 0) throw new Error(`there is no memory to compress ${data.length} bytes`);
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
