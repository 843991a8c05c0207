import type { Twin } from "./stage.ts";
import type { Thread } from "./thread.ts";

const PAGE = 65536;
/** In a module's binary, of what it imports: a memory (2) with a most (1), from 0 pages to 65536. One that is shared has 3 for the 1. */
const MEMORY = [2, 1, 0, 0x80, 0x80, 4];
/** Times the memory that is needed: for a notch that needs a little more; and what is too much to be cleared each time. */
const [ROOM, MOST_ROOM] = [1.25, 4];

/** A memory and what modules that share it export. */
export interface Wasm<Exports> {
  readonly memory: WebAssembly.Memory;
  /** That of `memory`. */
  readonly buffer: ArrayBuffer;
  readonly modules: readonly WebAssembly.Module[];
  readonly exports: Exports;
  /** A second thread that works on it, where one does: see thread.ts. */
  thread?: Thread | undefined;
}

/**
 * Runs WebAssembly modules (the binaries that vite.wat.ts makes of `.wat` files, which import `twin.memory`) on one memory of
 * `bytes`, all 0. It never grows, so views of it stay. `undefined` where WebAssembly has no vectors, is not allowed, or has not
 * so much memory: the twin in TypeScript has to do then. A module may import what those before it export. A `shared` memory can be
 * another thread's, too; modules for it import one of at most 65536 pages.
 */
export function openWasm<Exports>(
  binaries: readonly string[],
  bytes: number,
  shared = false,
): Wasm<Exports> | undefined {
  const modules = binaries.map((binary) => compiled(binary, shared)).filter((module) => module !== undefined);
  if (modules.length < binaries.length) return undefined;
  try {
    const pages = Math.ceil(bytes / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared });
    const exports = instantiated(modules, memory);
    return { memory, buffer: memory.buffer, modules, exports: exports as Exports };
  } catch {
    return undefined;
  }
}

function instantiated(modules: readonly WebAssembly.Module[], memory: WebAssembly.Memory): object {
  const twin = { memory };
  for (const module of modules) Object.assign(twin, new WebAssembly.Instance(module, { twin }).exports);
  return twin;
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
  shared = false,
): Twin | undefined {
  let wasm = before && (memories.get(before) as Wasm<Exports> | undefined);
  const twin = make((bytes, zeros = bytes) => {
    const length = wasm?.buffer.byteLength ?? 0;
    if (wasm && bytes <= length && length <= bytes * MOST_ROOM) new Uint8Array(wasm.buffer, 0, zeros).fill(0);
    else {
      before?.destroy?.();
      wasm = openWasm<Exports>(binaries, bytes * ROOM, shared);
    }
    return wasm;
  });
  if (twin && wasm) memories.set(twin, wasm);
  return twin;
}

const modules = new Map<string, WebAssembly.Module | undefined>();

/** Compiled once, at once: a module is a kilobyte or two. */
function compiled(binary: string, shared: boolean): WebAssembly.Module | undefined {
  const key = `${shared} ${binary}`;
  if (!modules.has(key)) modules.set(key, compile(binary, shared));
  return modules.get(key);
}

function compile(binary: string, shared: boolean): WebAssembly.Module | undefined {
  try {
    const bytes = Uint8Array.from(atob(binary), (character) => character.charCodeAt(0));
    const at = shared ? bytes.findIndex((_, i) => MEMORY.every((byte, k) => byte === bytes[i + k])) : -1;
    if (at >= 0) bytes[at + 1] = 3;
    return new WebAssembly.Module(bytes);
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
