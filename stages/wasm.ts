import type { Twin } from "./stage.ts";

const PAGE = 65536;
/** Times the memory that is needed: for a notch that needs a little more; and what is too much to be cleared each time. */
const [ROOM, MOST_ROOM] = [1.25, 4];

/** A memory and what modules that share it export. */
export interface Wasm<Exports> {
  readonly buffer: ArrayBuffer;
  readonly exports: Exports;
}

/**
 * Runs WebAssembly modules (the binaries that vite.wat.ts makes of `.wat` files, which import `twin.memory`) on one memory of
 * `bytes`, all 0. It never grows, so views of it stay. `undefined` where WebAssembly has no vectors, is not allowed, or has not
 * so much memory: the twin in TypeScript has to do then.
 */
export function openWasm<Exports>(binaries: readonly string[], bytes: number): Wasm<Exports> | undefined {
  const modules = binaries.map(compiled).filter((module) => module !== undefined);
  if (modules.length < binaries.length) return undefined;
  try {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
    const exports = modules.map((module) => new WebAssembly.Instance(module, { twin: { memory } }).exports);
    return { buffer: memory.buffer, exports: Object.assign({}, ...exports) as Exports };
  } catch {
    return undefined;
  }
}

/** Which memory a twin has, for the one after it. */
const memories = new WeakMap<Twin, Wasm<unknown>>();

/**
 * Makes a twin that may be made anew with every notch of a slider, out of the modules `binaries`: on the memory of `before`, one
 * that was made here of the same and is not run any more. New memory costs more to have than a frame does to filter. `open` gives it
 * with its first `zeros` bytes 0, all if none are named.
 */
export function onSameMemory<Exports>(
  binaries: readonly string[],
  before: Twin | undefined,
  make: (open: (bytes: number, zeros?: number) => Wasm<Exports> | undefined) => Twin | undefined,
): Twin | undefined {
  let wasm = before && (memories.get(before) as Wasm<Exports> | undefined);
  const twin = make((bytes, zeros = bytes) => {
    const length = wasm?.buffer.byteLength ?? 0;
    if (wasm && bytes <= length && length <= bytes * MOST_ROOM) new Uint8Array(wasm.buffer, 0, zeros).fill(0);
    else wasm = openWasm<Exports>(binaries, bytes * ROOM);
    return wasm;
  });
  if (twin && wasm) memories.set(twin, wasm);
  return twin;
}

const modules = new Map<string, WebAssembly.Module | undefined>();

/** Compiled once, at once: a module is a kilobyte or two. */
function compiled(binary: string): WebAssembly.Module | undefined {
  if (!modules.has(binary)) modules.set(binary, compile(binary));
  return modules.get(binary);
}

function compile(binary: string): WebAssembly.Module | undefined {
  try {
    return new WebAssembly.Module(Uint8Array.from(atob(binary), (character) => character.charCodeAt(0)));
  } catch {
    return undefined; // no vectors in this engine, or a page's policy forbids it
  }
}

/** Deals out addresses one behind the other, each on 64 bytes, a line of a cache. */
export class Layout {
  bytes = 0;

  take(bytes: number): number {
    const at = this.bytes;
    this.bytes += Math.ceil(bytes / 64) * 64;
    return at;
  }
}
