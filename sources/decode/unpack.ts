import { type Bytes, InflateError } from "./codec.ts";
import { readOwnFile } from "./wasmFile.ts";
import { loadZstdHeap } from "./zstd.ts";

/** Unpacks a chunk of messages to exactly `size` bytes. Throws an `InflateError`. */
type Unpacker = (packed: Uint8Array, size: number) => Bytes;

/** The most bytes of an unpacked chunk; recorders make chunks of one to some megabytes. */
const MAX_UNPACKED = 256 * 2 ** 20;
/** A chunk may unpack to `ANY_UNPACKED` bytes however short it is, and to `PER_BYTE` more for each of its bytes. */
const ANY_UNPACKED = 64 * 2 ** 20;
const PER_BYTE = 16;

/** The most bytes that `packed` bytes may unpack to. Depth shrinks to a fifth; a short chunk that declares a huge size is not believed. */
export const mostUnpacked = (packed: number): number => Math.min(MAX_UNPACKED, ANY_UNPACKED + PER_BYTE * packed);

/** Loads the unpacker for a compression by MCAP's and ROS' name for it; `undefined` if there is none. */
export async function loadUnpacker(compression: string): Promise<Unpacker | undefined> {
  const load = Object.hasOwn(loaders, compression) ? loaders[compression] : undefined;
  if (!load) return undefined;
  loaded[compression] ??= load();
  return loaded[compression];
}

/** The most decompression contexts in one instance of lz4. A context left inside a block holds up to 8 MiB. */
const MOST_CONTEXTS = 16;

const loaded: Record<string, Promise<Unpacker>> = {};

const loaders: Record<string, () => Promise<Unpacker>> = {
  async lz4() {
    const [{ default: load }, { default: address }] = await Promise.all([
      import("@foxglove/wasm-lz4/dist/wasm-lz4.js"),
      import("@foxglove/wasm-lz4/dist/wasm-lz4.wasm?file"),
    ]);
    const lz4 = await load({ wasmBinary: await readOwnFile(address) });
    let context = 0;
    let contexts = 0;
    return inHeap(lz4, 255, (...place) => {
      context ||= lz4._createDecompressionContext();
      const length = lz4._decompressFrame(context, ...place);
      if (length === place[1]) return length;
      // The failure may be an earlier frame's: a frame that ended too early leaves the context inside it. So the frame is tried once more
      // with a new context. Contexts cannot be freed and finally fill the memory: after some, the next caller gets a new instance.
      if (++contexts > MOST_CONTEXTS) delete loaded.lz4;
      context = lz4._createDecompressionContext();
      return lz4._decompressFrame(context, ...place);
    });
  },
  async zstd() {
    const zstd = await loadZstdHeap();
    return inHeap(zstd, 65_536, zstd._decompress);
  },
  bz2: async () => (await import("./bunzip2.ts")).bunzip2,
};

/** Runs a C function with memory for its input and output. `ratio` is the most bytes that this compression can make of one. */
function inHeap(
  heap: EmscriptenHeap,
  ratio: number,
  unpack: (to: number, room: number, from: number, size: number) => number,
): Unpacker {
  return (packed, size) => {
    if (size > mostUnpacked(packed.length)) throw InflateError.oversized(packed.length, size);
    if (size > packed.length * ratio + 1024) throw InflateError.cut();
    const from = heap._malloc(packed.length + 1);
    const to = heap._malloc(size + 1);
    try {
      if (from === 0 || to === 0) throw new InflateError(`there is not enough memory for its ${size} bytes`);
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
