import { Worker } from "node:worker_threads";
import decoder from "jpeg-js/lib/decoder.js?raw";
import type { JpegDecoder } from "./jpeg.ts";
import type { ColorImage } from "./png.ts";

/**
 * What runs on the thread: jpeg-js's decoder, a function `decode`, and this. It takes a tenth of a second for 1280×720, more than a
 * frame has: it must not hold up the pipeline. As text, since a thread's module would need a file of its own in each build.
 */
const THREAD = `${decoder}
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ id, bytes }) => {
  try {
    const { width, height, data } = decode(bytes, { useTArray: true, tolerantDecoding: false, maxMemoryUsageInMB: 384 });
    parentPort.postMessage({ id, image: { width, height, data } }, [data.buffer]);
  } catch (error) {
    parentPort.postMessage({ id, failure: error.message });
  }
});`;

const CLOSED = "the recording was closed";

interface Waiting {
  resolve(image: ColorImage): void;
  reject(error: Error): void;
}

type Reply = { readonly id: number } & ({ readonly image: ColorImage } | { readonly failure: string });

/** jpeg-js on a thread of its own, which starts with the first image and lets the process end. `bytes` is given away. */
export function createJpegNode(): JpegDecoder {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let count = 0;
  let closed = false;
  const failAll = (message: string) => {
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
  };
  const start = () => {
    const fresh = new Worker(THREAD, { eval: true });
    fresh.on("message", (reply: Reply) => {
      const order = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (waiting.size === 0) fresh.unref();
      if ("image" in reply) order?.resolve(reply.image);
      else order?.reject(new Error(reply.failure));
    });
    fresh.on("error", (error) => {
      thread = undefined;
      failAll(error.message);
    });
    return fresh;
  };
  return {
    decode: (bytes) =>
      new Promise((resolve, reject) => {
        if (closed) throw new Error(CLOSED);
        thread ??= start();
        thread.ref();
        const id = count++;
        waiting.set(id, { resolve, reject });
        // Bytes that are a part of more memory cannot be given away without the rest.
        const own = bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
        thread.postMessage({ id, bytes: own }, [own.buffer]);
      }),
    close() {
      void thread?.terminate();
      closed = true;
      failAll(CLOSED);
    },
  };
}
