/** Declarations that the packages' own types lack: the addresses of WebAssembly, and Emscripten's loaders. */
declare module "*.wasm?file" {
  const address: string;
  export default address;
}

interface EmscriptenHeap {
  readonly HEAPU8: Uint8Array;
  _malloc(size: number): number;
  _free(pointer: number): void;
}

declare module "@foxglove/wasm-lz4/dist/wasm-lz4.js" {
  interface Lz4 extends EmscriptenHeap {
    _createDecompressionContext(): number;
    _decompressFrame(context: number, to: number, room: number, from: number, size: number): number;
  }
  export default function load(options: { readonly wasmBinary: Uint8Array }): Promise<Lz4>;
}

declare module "@foxglove/wasm-zstd/dist/wasm-zstd.js" {
  interface Zstd extends EmscriptenHeap {
    _compressBound(size: number): number;
    _compress(to: number, room: number, from: number, size: number, level: number): number;
    _decompress(to: number, room: number, from: number, size: number): number;
  }
  export default function load(options: { readonly wasmBinary: Uint8Array }): Promise<Zstd>;
}

/** The synchronous file reader of workers. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

declare module "@foxglove/sql.js/dist/sql-wasm.js" {
  type Value = number | string | Uint8Array | null;
  interface Statement {
    step(): boolean;
    get(): Value[];
    bind(values: Value[]): boolean;
    reset(): void;
    free(): void;
  }
  interface Database {
    prepare(query: string): Statement;
    close(): void;
  }
  interface SqlJs {
    readonly Database: new (from: { readonly file: object }) => Database;
  }
  export default function load(options: { readonly wasmBinary: Uint8Array }): Promise<SqlJs>;
}
