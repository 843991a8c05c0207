const PAGE = 65536;

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

/** Deals out addresses one behind the other, each on 16 bytes. */
export class Layout {
  bytes = 0;

  take(bytes: number): number {
    const at = this.bytes;
    this.bytes += Math.ceil(bytes / 16) * 16;
    return at;
  }
}
