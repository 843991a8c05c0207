import { Worker } from "node:worker_threads";
import decoder from "jpeg-js/lib/decoder.js?raw";
import type { JpegDecoder } from "./jpeg.ts";
import type { ColorImage } from "./png.ts";

/**
 * The code of the thread: jpeg-js's decoder, a function `decode`, and a message handler. Decoding 1280×720 takes a tenth of a second,
 * longer than a frame, so it must not hold up the pipeline. The code is a text because a thread's module would need a file of its own in
 * each build.
 */
const THREAD = `${pooled(decoder)}
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ id, bytes }) => {
  try {
    const { width, height, data } = decode(bytes, { useTArray: true, tolerantDecoding: false, maxMemoryUsageInMB: 384 });
    parentPort.postMessage({ id, image: { width, height, data } }, [data.buffer]);
  } catch (error) {
    parentPort.postMessage({ id, failure: error.message });
  }
});`;

/**
 * Makes jpeg-js keep a component's coefficients in one 16-bit array, which the coefficients of an 8-bit JPEG fit in. jpeg-js itself
 * allocates an array for each 8 × 8 pixels, which takes six times the memory: 600 MB for 16 megapixels. Throws where the package's code has
 * changed.
 */
function pooled(source: string): string {
  const [list, block] = ["var blocks = [];", "row.push(new Int32Array(64));"];
  if (!source.includes(list) || !source.includes(block))
    throw new Error("the code of jpeg-js has changed where its coefficients are allocated");
  return source
    .replace(list, `${list} var pool = new Int16Array(64 * blocksToAllocate), used = 0;`)
    .replace(block, "row.push(pool.subarray(used, (used += 64)));");
}

const CLOSED = "the recording was closed";

interface Waiting {
  resolve(image: ColorImage): void;
  reject(error: Error): void;
}

type Reply = { readonly id: number } & ({ readonly image: ColorImage } | { readonly failure: string });

/** jpeg-js on a thread of its own, which starts with the first image and does not keep the process alive. `bytes` is transferred. */
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
        // Bytes that are part of a larger buffer cannot be transferred without the rest, so they are copied.
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
