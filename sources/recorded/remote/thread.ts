import { nodeThread, pageThread, type Thread } from "../../../core/thread.ts";
import type { Message, Request } from "./messages.ts";

/** A worker that reads one recording. */
export type ReaderThread = Thread<Request, Message>;

/** Starts a worker that reads a recording, in Node with a JavaScript heap of `megabytes` MiB: see `nodeThread`, `pageThread`. */
export const readerThread = (megabytes: number): ReaderThread =>
  import.meta.env.SSR
    ? // The build puts the address of dist/reader.js here: see config/reader.ts.
      nodeThread(new URL("./workerNode.ts", import.meta.url), "depthloom reader", megabytes)
    : pageThread(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "depthloom reader" }));
