import type { Twin } from "./stage.ts";
import type { PoolHandle } from "./threads.ts";

const PAGE = 65536;
/**
 * A new memory is ROOM times as large as needed, so that slightly larger requests fit later. A memory MOST_ROOM times too large is
 * replaced.
 */
const ROOM = 1.25;
const MOST_ROOM = 4;

/** A memory, and the exports of the modules that share it. */
export interface Wasm<Exports> {
  readonly memory: WebAssembly.Memory;
  /** `memory.buffer`. */
  readonly buffer: ArrayBuffer;
  readonly modules: readonly WebAssembly.Module[];
  readonly exports: Exports;
  /** The threads that share this memory, if any do (see threads.ts). */
  member?: PoolHandle | undefined;
}

/**
 * Instantiates WebAssembly modules on a new memory of `bytes` bytes, all 0. `binaries` are base64 modules that config/assembly.ts compiles
 * from a stage's assembly/; they import `env.memory`, and a module may import what earlier ones export. The memory never grows, so views of
 * it stay valid. Gives `undefined` where WebAssembly lacks vectors, is forbidden or gets too little memory; the TypeScript twin runs
 * instead. A `shared` memory can be used by several threads; its modules must import nothing but it.
 */
export function openWasm<Exports>(
  binaries: readonly string[],
  bytes: number,
  shared = false,
): Wasm<Exports> | undefined {
  const modules = allOf(binaries, shared);
  if (!modules) return undefined;
  try {
    const pages = Math.ceil(bytes / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared });
    const exports = instantiated(modules, memory);
    return { memory, buffer: memory.buffer, modules, exports: exports as Exports };
  } catch {
    return undefined;
  }
}

/**
 * Instantiates modules on a memory of the caller's, which may grow: `buffer` is what it was before, and of use for `shared` memory alone.
 * Gives `undefined` where `openWasm` does.
 */
export function onMemory<Exports>(
  binaries: readonly string[],
  memory: WebAssembly.Memory,
  shared: boolean,
): Wasm<Exports> | undefined {
  const modules = allOf(binaries, shared);
  return modules && { memory, buffer: memory.buffer, modules, exports: instantiated(modules, memory) as Exports };
}

function allOf(binaries: readonly string[], shared = false): WebAssembly.Module[] | undefined {
  const modules = binaries.map((binary) => compiled(binary, shared)).filter((module) => module !== undefined);
  return modules.length < binaries.length ? undefined : modules;
}

function instantiated(modules: readonly WebAssembly.Module[], memory: WebAssembly.Memory): object {
  const twin = { memory };
  for (const module of modules) Object.assign(twin, new WebAssembly.Instance(module, { twin, env: twin }).exports);
  return twin;
}

/** The memory of each twin, for the twin that replaces it. */
const memories = new WeakMap<Twin, Wasm<unknown>>();

/**
 * Makes a twin on the memory of the twin that it replaces, `before`, if that was made here from the same `binaries`. Dragging a slider
 * makes many twins, and new memory takes longer than filtering a frame. `make` receives `open`, which gives a memory of `bytes` bytes whose
 * first `zeros` bytes (default: all) are 0.
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

/** Whether a twin works on the memory of the one before it, which must not be ended then. */
export function hasMemoryOf(before: Twin, twin: Twin): boolean {
  const memory = memories.get(before);
  return memory !== undefined && memory === memories.get(twin);
}

const modules = new Map<string, WebAssembly.Module | undefined>();

/** Compiles each binary once for each kind of memory. Compiling is synchronous, since a module has only a few kilobytes. */
function compiled(binary: string, shared: boolean): WebAssembly.Module | undefined {
  const key = `${shared} ${binary}`;
  if (!modules.has(key)) modules.set(key, compile(binary, shared));
  return modules.get(key);
}

/**
 * The section of a module that imports a memory alone, and that section for a memory that threads share: the flag 3, and 65536 pages at
 * most.
 */
const OWN = "\x0f\x01\x03env\x06memory\x02\x00\x00";
const SHARED = "\x12\x01\x03env\x06memory\x02\x03\x00\x80\x80\x04";

function compile(binary: string, shared: boolean): WebAssembly.Module | undefined {
  try {
    const text = shared ? atob(binary).replace(OWN, SHARED) : atob(binary);
    return new WebAssembly.Module(Uint8Array.from(text, (character) => character.charCodeAt(0)));
  } catch {
    return undefined; // This engine has no vectors, or the page's policy forbids WebAssembly.
  }
}

/** Copies a frame to an array where its rows are longer or shorter: a row takes `fromRow` places, then `toRow`. */
export function copyRows(from: Uint16Array, fromRow: number, to: Uint16Array, toRow: number): void {
  if (fromRow === toRow) to.set(from);
  const width = Math.min(fromRow, toRow);
  for (let at = 0, y = 0; fromRow !== toRow && at < from.length; at += fromRow, y++)
    to.set(from.subarray(at, at + width), y * toRow);
}

/** Assigns addresses one behind the other, each on a multiple of 64 bytes, the size of a cache line. */
export class Layout {
  bytes = 0;

  take(bytes: number): number {
    const at = this.bytes;
    this.bytes += Math.ceil(bytes / 64) * 64;
    return at;
  }

  /** Takes `count` memories of `bytes` bytes. Returns the first one's address, and how many bytes further the next one begins. */
  takeEach(count: number, bytes: number): readonly [number, number] {
    const first = this.take(bytes);
    const size = this.bytes - first;
    this.take((count - 1) * size);
    return [first, size];
  }
}
