import load from "@jsquash/jpeg/codec/dec/mozjpeg_dec.js";
import address from "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm?file";
import type { JpegDecoder } from "./jpeg.ts";
import { readOwnFile } from "./wasmFile.ts";

/** Remarks of MozJPEG on images of which nothing is lost: some cameras pad the data before a marker or number their headers oddly. */
const HARMLESS = /extraneous bytes|JFIF revision|Adobe/;

let compiled: Promise<WebAssembly.Module> | undefined;

/** The class of MozJPEG's results. MozJPEG takes this class from the global object, and Node's global object lacks it. */
class Pixels {
  constructor(
    readonly data: Uint8ClampedArray<ArrayBuffer>,
    readonly width: number,
    readonly height: number,
  ) {}
}

/** Runs MozJPEG with a global `ImageData`, and leaves none behind where there was none. */
function withImageData<T>(run: () => T): T {
  if ("ImageData" in globalThis) return run();
  Object.assign(globalThis, { ImageData: Pixels });
  try {
    return run();
  } finally {
    Reflect.deleteProperty(globalThis, "ImageData");
  }
}

/**
 * MozJPEG, compiled to WebAssembly, on the calling thread: it gives the levels that libjpeg-turbo gives, and so Chromium and OpenCV. It
 * fills in what a damaged image lacks, and says so on its standard error, which makes the image a damaged one here.
 */
export function createJpegNode(): JpegDecoder {
  let remarks: string[] = [];
  const printErr = (line: string) => remarks.push(line);
  const start = async () => {
    compiled ??= readOwnFile(address).then((bytes) => WebAssembly.compile(bytes));
    const module = await compiled;
    const instantiateWasm = (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => object) =>
      receive(new WebAssembly.Instance(module, imports));
    return withImageData(() => load({ instantiateWasm, printErr }));
  };
  let started: ReturnType<typeof start> | undefined;
  return {
    async decode(bytes) {
      started ??= start();
      const { decode } = await started;
      remarks = [];
      let image: Pixels | null;
      try {
        image = withImageData(() => decode(bytes, false) as Pixels | null);
      } catch {
        // MozJPEG ends its program at an error, and its memory keeps what it held, so the next image gets a new instance.
        started = undefined;
        throw new Error(remarks.at(-1) ?? "it cannot be decoded");
      }
      const damage = remarks.find((line) => !HARMLESS.test(line));
      if (damage || !image) throw new Error(damage ?? "it cannot be decoded");
      return { width: image.width, height: image.height, data: new Uint8Array(image.data.buffer) };
    },
    close() {
      started = undefined;
    },
  };
}
