import { InflateError } from "./codec.ts";
import { readOwnFile } from "./wasmFile.ts";

/** Loads an instance of zstd. Its memory grows with its input, and is freed only with the whole instance. */
export async function loadZstdHeap() {
  const [{ default: load }, { default: address }] = await Promise.all([
    import("@foxglove/wasm-zstd/dist/wasm-zstd.js"),
    import("@foxglove/wasm-zstd/dist/wasm-zstd.wasm?file"),
  ]);
  return load({ wasmBinary: await readOwnFile(address) });
}

export const isZstd = ([a, b, c, d]: Uint8Array): boolean => a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd;

/** The unpacked size that a frame declares, if it does; the top bits of the fifth byte give the field's width. */
export function zstdSize(frame: Uint8Array): number | undefined {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const flags = frame[4];
  const single = (flags & 0x20) !== 0;
  const at = 5 + (single ? 0 : 1) + [0, 1, 2, 4][flags & 3];
  if (at + 8 > frame.length) return undefined;
  if (flags >> 6 === 3) return Number(view.getBigUint64(at, true));
  if (flags >> 6 === 2) return view.getUint32(at, true);
  if (flags >> 6 === 1) return 256 + view.getUint16(at, true);
  return single ? frame[at] : undefined;
}

/**
 * Unpacks one frame of `size` bytes, and calls `use` with them; they are valid until `use` is done. Throws an `InflateError` for a frame
 * that is damaged or has another size, and where memory is short.
 */
export async function useUnpacked<T>(
  packed: Uint8Array,
  size: number,
  use: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  const zstd = await loadZstdHeap();
  const [from, to] = [zstd._malloc(packed.length + 1), zstd._malloc(size + 1)];
  if (from === 0 || to === 0) throw new InflateError(`there is not enough memory for its ${size} bytes`);
  zstd.HEAPU8.set(packed, from);
  const length = zstd._decompress(to, size, from, packed.length);
  if (length < 0 || length > size) throw InflateError.damaged();
  if (length < size) throw InflateError.cut();
  return use(zstd.HEAPU8.subarray(to, to + size));
}
