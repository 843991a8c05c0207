import { SourceError } from "../core/source.ts";
import type { Bytes } from "./codec.ts";
import { decodeJpeg, isJpeg, type JpegDecoder } from "./jpeg.ts";
import { jpegWeb } from "./jpegWeb.ts";
import type { Order, Reply } from "./messages.ts";
import { decodePicture } from "./picture.ts";
import { type ColorImage, type DepthImage, decodeColor, decodeDepth } from "./png.ts";

/** Decodes images off the main thread: in a browser in a worker, in Node on zlib's threads and one thread for JPEGs. */
export interface Decoder {
  /** See `decodeDepth`. `bytes` is transferred and becomes empty. */
  depth(bytes: Bytes, where: string): Promise<DepthImage>;
  /** See `decodePicture`. `bytes` is transferred and becomes empty. */
  color(bytes: Bytes, where: string): Promise<ColorImage | string>;
  /** Ends the threads that decode. What is pending rejects. */
  close(): void;
}

/** Decodes on the calling thread, for a page's workers. Images of more than `maxMegapixels` are refused; see `OpenOptions`. */
export const directDecoder = (maxMegapixels?: number): Decoder => ({
  depth: (bytes, where) => decodeDepth(bytes, where, maxMegapixels),
  color: (bytes, where) => decodePicture(bytes, where, jpegWeb, maxMegapixels),
  close() {},
});

/** Decodes on other threads than the calling one; the limit is that of `directDecoder`. */
export function createDecoder(maxMegapixels?: number): Decoder {
  return import.meta.env.SSR ? createNodeDecoder(maxMegapixels) : createWorkerDecoder(maxMegapixels);
}

function createNodeDecoder(maxMegapixels?: number): Decoder {
  let jpeg: Promise<JpegDecoder> | undefined;
  let closed = false;
  return {
    depth: (bytes, where) => decodeDepth(bytes, where, maxMegapixels),
    color: async (bytes, where) => {
      if (!isJpeg(bytes)) return decodeColor(bytes, where, maxMegapixels);
      if (closed) throw new Error("the recording was closed");
      jpeg ??= import("./jpegNode.ts").then(({ createJpegNode }) => createJpegNode());
      return decodeJpeg(bytes, where, await jpeg, maxMegapixels);
    },
    close() {
      closed = true;
      void jpeg?.then((decoder) => decoder.close());
    },
  };
}

interface Waiting {
  resolve(result: DepthImage | ColorImage | string): void;
  reject(error: Error): void;
}

function createWorkerDecoder(maxMegapixels: number | undefined): Decoder {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let count = 0;
  const failAll = (message: string) => {
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
  };
  const start = () => {
    const fresh = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "depthloom decoder" });
    fresh.onmessage = ({ data }: MessageEvent<Reply>) => {
      const order = waiting.get(data.id);
      waiting.delete(data.id);
      if ("result" in data) order?.resolve(data.result);
      else order?.reject(data.forUser ? new SourceError(data.failure) : new Error(data.failure));
    };
    fresh.onerror = (event) => failAll(`the decoding worker failed: ${event.message}`);
    return fresh;
  };
  const ask = (kind: Order["kind"], bytes: Bytes, where: string) =>
    new Promise<DepthImage | ColorImage | string>((resolve, reject) => {
      worker ??= start();
      const order: Order = { id: count++, kind, bytes, where, maxMegapixels };
      waiting.set(order.id, { resolve, reject });
      worker.postMessage(order, [bytes.buffer]);
    });
  return {
    depth: (bytes, where) => ask("depth", bytes, where) as Promise<DepthImage>,
    color: (bytes, where) => ask("color", bytes, where) as Promise<ColorImage | string>,
    close() {
      worker?.terminate();
      worker = undefined;
      failAll("the recording was closed");
    },
  };
}
