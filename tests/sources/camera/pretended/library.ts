import type { Argument, Ffi, NativeFunction } from "../../../../sources/camera/ffi/ffi.ts";
import type { SearchPlace } from "../../../../sources/camera/ffi/find.ts";

/** A fake C function with the arguments of the real one; typed arrays stand for pointers to memory. */
export type Pretended = (...args: readonly Argument[]) => unknown;

/** Memory with addresses, for the data that a fake library hands out pointers to. */
export class Memory {
  readonly #bytes = new ArrayBuffer(1 << 23);
  /** The next free address; address 0 stays free as the null pointer. */
  #next = 16;

  /** Copies bytes to an address of their own. */
  put(bytes: ArrayBufferView): bigint {
    const at = this.#next;
    this.#next += Math.ceil((bytes.byteLength + 1) / 16) * 16;
    new Uint8Array(this.#bytes, at, bytes.byteLength).set(
      new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    );
    return BigInt(at);
  }

  view(at: bigint, bytes: number): Uint8Array {
    if (at === 0n) throw new Error("a null pointer was read");
    return new Uint8Array(this.#bytes, Number(at), bytes);
  }
}

/** A fake library, with functions in TypeScript in place of C functions. */
export class PretendedLibrary {
  readonly memory = new Memory();
  /** The names of the functions that were called, in order. */
  readonly calls: string[] = [];
  errno = 0;

  constructor(
    readonly functions: Readonly<Record<string, Pretended>>,
    /** The path of the library file; `null` is the running program. */
    readonly path: string | null,
  ) {}

  /** The boundary, as drivers see it. */
  get ffi(): Ffi {
    return {
      load: (path) => {
        if (path !== this.path) throw new Error(`${path}: cannot open shared object file`);
        return { func: (prototype) => this.#func(prototype) };
      },
      struct() {},
      callback: (_, run) => ({ address: this.#kept(run), release() {} }),
      view: (at, bytes) => this.memory.view(at, bytes),
      errno: () => this.errno,
    };
  }

  /** The C function at an address that a driver handed over. */
  readonly callbacks = new Map<bigint, (...args: readonly unknown[]) => void>();

  #kept(run: (...args: readonly unknown[]) => void): bigint {
    const address = BigInt(0x1000 + this.callbacks.size);
    this.callbacks.set(address, run);
    return address;
  }

  #func(prototype: string): NativeFunction {
    const name = /(\w+)\s*\(/.exec(prototype)?.[1] ?? "";
    const run = this.functions[name];
    if (!run) throw new Error(`Cannot find function '${name}' in shared library`);
    const call = (...args: readonly Argument[]) => {
      const wanted = prototype
        .replace(/^.*?\(|\)$/g, "")
        .split(",")
        .filter((one) => one.trim() !== "").length;
      if (args.length !== wanted) throw new Error(`${name}: ${args.length} arguments instead of ${wanted}`);
      this.calls.push(name);
      return run(...args);
    };
    return Object.assign(call, { async: async (...args: readonly Argument[]) => call(...args) });
  }
}

/** A Linux computer whose library folder has these files. */
export const linuxWith = (...files: readonly string[]): SearchPlace => ({
  platform: "linux",
  arch: "x64",
  env: {},
  list: (folder) =>
    files
      .filter((file) => file.slice(0, file.lastIndexOf("/")) === folder)
      .map((file) => file.slice(folder.length + 1)),
  setenv() {},
});
