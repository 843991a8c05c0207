import { fromBase64 } from "./base64.ts";
import { type Bytes, InflateError } from "./codec.ts";

/** Unpacks a chunk of messages, which must give exactly `size` bytes. Throws an `InflateError`. */
export type Unpacker = (packed: Uint8Array, size: number) => Bytes;

/** No chunk of messages is larger than this unpacked; recorders cut theirs at one to a few megabytes. */
export const MAX_UNPACKED = 256 * 2 ** 20;

/** The unpacker for a compression by the name that MCAP and ROS give it; `undefined` if there is none. Loaded when asked for. */
export async function loadUnpacker(compression: string): Promise<Unpacker | undefined> {
  const load = Object.hasOwn(loaders, compression) ? loaders[compression] : undefined;
  if (!load) return undefined;
  loaded[compression] ??= load();
  return loaded[compression];
}

/** Of lz4, in one instance: one that was left in a block holds up to 8 MiB. */
const MOST_CONTEXTS = 16;

const loaded: Record<string, Promise<Unpacker>> = {};

const loaders: Record<string, () => Promise<Unpacker>> = {
  async lz4() {
    const [{ default: load }, { default: binary }] = await Promise.all([
      import("@foxglove/wasm-lz4/dist/wasm-lz4.js"),
      import("@foxglove/wasm-lz4/dist/wasm-lz4.wasm?base64"),
    ]);
    const lz4 = await load({ wasmBinary: fromBase64(binary) });
    let context = 0;
    let contexts = 0;
    return inHeap(lz4, 255, (...place) => {
      context ||= lz4._createDecompressionContext();
      const length = lz4._decompressFrame(context, ...place);
      if (length === place[1]) return length;
      // A frame that ended too early leaves its context in the middle of it, for which this one may have had to pay. Contexts
      // cannot be given back, and in the end memory is full: after some, who asks next gets another instance.
      if (++contexts > MOST_CONTEXTS) delete loaded.lz4;
      context = lz4._createDecompressionContext();
      return lz4._decompressFrame(context, ...place);
    });
  },
  async zstd() {
    const [{ default: load }, { default: binary }] = await Promise.all([
      import("@foxglove/wasm-zstd/dist/wasm-zstd.js"),
      import("@foxglove/wasm-zstd/dist/wasm-zstd.wasm?base64"),
    ]);
    const zstd = await load({ wasmBinary: fromBase64(binary) });
    return inHeap(zstd, 65_536, zstd._decompress);
  },
  bz2: async () => (await import("./bunzip2.ts")).bunzip2,
};

/** Lends a C function its memory. `ratio` is the most that this compression can ever make of a byte. */
function inHeap(
  heap: EmscriptenHeap,
  ratio: number,
  unpack: (to: number, room: number, from: number, size: number) => number,
): Unpacker {
  return (packed, size) => {
    if (size > MAX_UNPACKED || size > packed.length * ratio + 1024) throw InflateError.cut();
    const from = heap._malloc(packed.length + 1);
    const to = heap._malloc(size + 1);
    try {
      if (from === 0 || to === 0) throw new InflateError(`there is no memory for its ${size} bytes`);
      heap.HEAPU8.set(packed, from);
      const length = unpack(to, size, from, packed.length);
      if (length < 0 || length > size) throw InflateError.damaged();
      if (length < size) throw InflateError.cut();
      return heap.HEAPU8.slice(to, to + size) as Bytes;
    } finally {
      heap._free(from);
      heap._free(to);
    }
  };
}
