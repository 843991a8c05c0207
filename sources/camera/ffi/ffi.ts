/**
 * An argument of a C function: a number, a pointer (bigint, or null), a text, memory (a typed array, in place), or a struct (an object).
 */
export type Argument = number | bigint | string | null | ArrayBufferView | object;

/** A C function. */
export interface NativeFunction {
  (...args: readonly Argument[]): unknown;
  /** The same call on another thread, so that a function that waits holds nobody up. */
  async(...args: readonly Argument[]): Promise<unknown>;
}

/** A loaded shared library. */
interface NativeLibrary {
  /** Finds a function by its prototype in C. Throws if the library has no function of that name. */
  func(prototype: string): NativeFunction;
}

/** The boundary to C: all that the drivers need of a foreign function interface. Tests stand a pretended library behind it. */
export interface Ffi {
  /** Loads a shared library; `null` is the running program with its C library. Throws where that is impossible. */
  load(path: string | null): NativeLibrary;
  /** Declares a struct for prototypes, field by field. A second declaration of the same name has no effect. */
  struct(name: string, fields: Readonly<Record<string, string>>): void;
  /** Declares a C function that runs `run`, of a prototype without pointers to structs. The address is valid until `release`. */
  callback(
    prototype: string,
    run: (...args: readonly unknown[]) => void,
  ): { readonly address: bigint; release(): void };
  /** The memory at an address, not copied. It must not be used after the library has freed it. */
  view(address: bigint, bytes: number): Uint8Array;
  /** The number of the C library's last error. */
  errno(): number;
}

/** The result of a call as a number. Pointers and 64-bit numbers come as bigint where they are large. */
export const numberOf = (value: unknown): number => Number(value);

/** The result of a call as a pointer; 0n is none. */
export const pointerOf = (value: unknown): bigint =>
  typeof value === "bigint" ? value : typeof value === "number" ? BigInt(value) : 0n;
