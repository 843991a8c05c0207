import { SourceError } from "../source.ts";
import type { Bytes } from "./codec.ts";
import { decodeJpeg, isJpeg, type JpegDecoder } from "./jpeg.ts";
import { jpegWeb } from "./jpegWeb.ts";
import type { Order, Reply } from "./messages.ts";
import { decodePicture } from "./picture.ts";
import { type ColorImage, type DepthImage, decodeColor, decodeDepth } from "./png.ts";

/** Decodes images away from the main thread: in a browser in a worker, in Node on zlib's own threads and one for JPEGs. */
export interface Decoder {
  /** See `decodeDepth`. `bytes` is given away. */
  depth(bytes: Bytes, where: string): Promise<DepthImage>;
  /** See `decodePicture`. `bytes` is given away. */
  color(bytes: Bytes, where: string): Promise<ColorImage | string>;
  close(): void;
}

/** Decodes on the thread that asks: for a page's workers. */
export const directDecoder: Decoder = {
  depth: decodeDepth,
  color: (bytes, where) => decodePicture(bytes, where, jpegWeb),
  close() {},
};

export function createDecoder(): Decoder {
  return import.meta.env.SSR ? createNodeDecoder() : createWorkerDecoder();
}

function createNodeDecoder(): Decoder {
  let jpeg: Promise<JpegDecoder> | undefined;
  let closed = false;
  return {
    depth: decodeDepth,
    color: async (bytes, where) => {
      if (!isJpeg(bytes)) return decodeColor(bytes, where);
      if (closed) throw new Error("the recording was closed");
      jpeg ??= import("./jpegNode.ts").then(({ createJpegNode }) => createJpegNode());
      return decodeJpeg(bytes, where, await jpeg);
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

function createWorkerDecoder(): Decoder {
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
      const order: Order = { id: count++, kind, bytes, where };
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
