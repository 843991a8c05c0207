import { Worker } from "node:worker_threads";
import decoder from "jpeg-js/lib/decoder.js?raw";
import { Rpc } from "../core/rpc.ts";
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

type Reply = { readonly id: number } & ({ readonly image: ColorImage } | { readonly failure: string });
type Jobs = Rpc<{ readonly bytes: Uint8Array }, ColorImage>;

/** jpeg-js on a thread of its own, which starts with the first image and does not keep the process alive. `bytes` is transferred. */
export function createJpegNode(): JpegDecoder {
  let thread: Worker | undefined;
  const begin = (): Jobs =>
    new Rpc((question, transfer) => {
      thread ??= start();
      thread.ref();
      thread.postMessage(question, transfer);
    });
  let jobs = begin();
  const start = () => {
    const fresh = new Worker(THREAD, { eval: true });
    fresh.on("message", (reply: Reply) => {
      jobs.answer(reply.id, "image" in reply ? reply.image : new Error(reply.failure));
      if (jobs.waiting === 0) fresh.unref();
    });
    fresh.on("error", (error) => {
      thread = undefined;
      if (!jobs.end(error)) return;
      // Later images start another thread.
      jobs = begin();
    });
    return fresh;
  };
  return {
    async decode(bytes) {
      // Bytes that are part of a larger buffer cannot be transferred without the rest, so they are copied.
      const own = bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
      return jobs.ask({ bytes: own }, [own.buffer as ArrayBuffer]);
    },
    close() {
      void thread?.terminate();
      jobs.end(new Error("the recording was closed"));
    },
  };
}
