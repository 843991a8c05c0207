import { fromBase64 } from "../base64.ts";
import binary from "./assembly/kernel.ts?wasm";

/** The kernel's functions; each returns and takes numbers, which are addresses, sizes and counts. */
type Kernel = Readonly<Record<"survey" | "dictionary" | "encode" | "values" | "decode", (...args: number[]) => number>>;

const PAGE = 65536;
const TABLE = 2 * 65536;

/** An instance of the kernel; its memory grows to the largest image's needs, and what lies in it lasts until the next image. */
export interface Fast {
  readonly kernel: Kernel;
  /** Makes room for an image with this many pixels. */
  room(pixels: number): {
    readonly bytes: Uint8Array<ArrayBuffer>;
    /** The addresses of a table of 65,536 u16, of two images of u16, and of a block. */
    readonly table: number;
    readonly depth: number;
    readonly numbers: number;
    readonly block: number;
  };
}

let made: Fast | undefined | null = null;

/** The kernel on this thread; `undefined` where WebAssembly is missing or forbidden. */
export function fast(): Fast | undefined {
  if (made === null) made = make();
  return made;
}

function make(): Fast | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const module = new WebAssembly.Module(fromBase64(binary));
    const kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernel;
    const room = (pixels: number) => {
      const image = 2 * pixels + 16;
      const [table, depth] = [0, TABLE];
      const numbers = depth + image;
      const block = numbers + image;
      // A block has two bytes for each value and for each pixel, and the mask.
      const needed = block + TABLE + image + pixels;
      const short = needed - memory.buffer.byteLength;
      if (short > 0) memory.grow(Math.ceil(short / PAGE));
      return { bytes: new Uint8Array(memory.buffer as ArrayBuffer), table, depth, numbers, block };
    };
    return { kernel, room };
  } catch {
    return undefined;
  }
}
