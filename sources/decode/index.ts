import { withFile } from "../../core/pictureFile.ts";
import { Rpc } from "../../core/rpc.ts";
import { SourceError } from "../../core/source.ts";
import type { Bytes } from "./codec.ts";
import { decodeJpeg, isJpeg, type JpegDecoder } from "./jpeg.ts";
import { jpegWeb } from "./jpegWeb.ts";
import type { Order, Reply } from "./messages.ts";
import { decodePicture } from "./picture.ts";
import { type DecodedColor, type DecodedDepth, decodeColor, decodeDepth } from "./png.ts";

/** Decodes images off the main thread: in a browser in a worker, in Node PNGs on zlib's threads, JPEGs on the calling thread. */
export interface Decoder {
  /** See `decodeDepth`. `bytes` is transferred and becomes empty. */
  depth(bytes: Bytes, where: string): Promise<DecodedDepth>;
  /** See `decodePicture`. `bytes` is transferred and becomes empty. */
  color(bytes: Bytes, where: string): Promise<DecodedColor | string>;
  /** How many threads decode side by side; 1 if not given. */
  readonly threads?: number;
  /** Ends the threads that decode. What is pending rejects. */
  close(): void;
}

/** Decodes on the calling thread. Images of more than `maxMegapixels` are refused; see `OpenOptions`. */
export const directDecoder = (maxMegapixels?: number): Decoder => ({
  depth: (bytes, where) => decodeDepth(bytes, where, maxMegapixels),
  color: (bytes, where) => decodePicture(bytes, where, jpegWeb, maxMegapixels),
  close() {},
});

/** Decodes on other threads than the calling one, except JPEGs in Node; the limit is that of `directDecoder`. */
export function createDecoder(maxMegapixels?: number): Decoder {
  return import.meta.env.SSR ? createNodeDecoder(maxMegapixels) : createWorkerDecoder(maxMegapixels);
}

function createNodeDecoder(maxMegapixels?: number): Decoder {
  let jpeg: Promise<JpegDecoder> | undefined;
  let closed = false;
  const color = async (bytes: Bytes, where: string) => {
    if (!isJpeg(bytes)) return decodeColor(bytes, where, maxMegapixels);
    if (closed) throw new Error("the recording was closed");
    jpeg ??= import("./jpegNode.ts").then(({ createJpegNode }) => createJpegNode());
    return decodeJpeg(bytes, where, await jpeg, maxMegapixels);
  };
  return {
    threads: NODE_THREADS,
    depth: (bytes, where) => decodeDepth(bytes, where, maxMegapixels),
    color: async (bytes, where) => {
      const image = await color(bytes, where);
      if (typeof image !== "string") withFile(image.data, bytes);
      return image;
    },
    close() {
      closed = true;
      void jpeg?.then((decoder) => decoder.close());
    },
  };
}

/** In a page half the machine's threads decode images, or all but one up to `FEW`; no more than `MOST_THREADS`. */
const FEW = 4;
const MOST_THREADS = 8;
/** As many threads as Node has for zlib and files, if nobody sets another number. */
const NODE_THREADS = 4;

type Calls = Rpc<Omit<Order, "id">, DecodedDepth | DecodedColor | string>;

const threadsOf = (cores: number) => Math.min(MOST_THREADS, Math.max(1, Math.min(FEW, cores - 1), cores >> 1));

/** Hands each image to the thread that has the fewest. */
function createWorkerDecoder(maxMegapixels: number | undefined): Decoder {
  const count = threadsOf(navigator.hardwareConcurrency);
  const threads = Array.from({ length: count }, () => createThread(maxMegapixels));
  const idlest = () => threads.reduce((best, thread) => (thread.waiting < best.waiting ? thread : best));
  return {
    threads: count,
    depth: (bytes, where) => idlest().ask("depth", bytes, where) as Promise<DecodedDepth>,
    color: (bytes, where) => idlest().ask("color", bytes, where) as Promise<DecodedColor | string>,
    close: () => threads.forEach((thread) => void thread.end("the recording was closed")),
  };
}

/** A thread that decodes; it starts with its first image. */
function createThread(maxMegapixels: number | undefined) {
  let worker: Worker | undefined;
  let rpc: Calls | undefined;
  const start = () => {
    const fresh = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "depthloom decoder" });
    const calls: Calls = new Rpc((order, transfer) => fresh.postMessage(order, transfer));
    fresh.onmessage = ({ data }: MessageEvent<Reply>) => {
      if ("result" in data) calls.answer(data.id, data.result);
      else calls.answer(data.id, data.forUser ? new SourceError(data.failure) : new Error(data.failure));
    };
    fresh.onerror = (event) => end(`the decoding worker failed: ${event.message}`);
    worker = fresh;
    return calls;
  };
  const end = (why: string) => {
    worker?.terminate();
    rpc?.end(new Error(why));
    rpc = undefined;
  };
  const ask = (kind: Order["kind"], bytes: Bytes, where: string) => {
    rpc ??= start();
    return rpc.ask({ kind, bytes, where, maxMegapixels }, [bytes.buffer]);
  };
  return {
    ask,
    end,
    get waiting() {
      return rpc?.waiting ?? 0;
    },
  };
}
