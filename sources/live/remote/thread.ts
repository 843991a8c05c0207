import { nodeThread, pageThread, type Thread } from "../../../core/thread.ts";
import type { LiveMessage, LiveRequest } from "./messages.ts";

/** A worker that receives one stream. */
export type LiveThread = Pick<Thread<LiveRequest, LiveMessage>, "post" | "listen"> & { end(): unknown };

/** Starts a worker that receives a stream: see `nodeThread`, `pageThread`. */
export const liveThread = (): LiveThread =>
  import.meta.env.SSR
    ? // The build puts the address of dist/stream.js here: see config/reader.ts.
      nodeThread(new URL("./streamNode.ts", import.meta.url), "depthloom stream")
    : pageThread(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "depthloom stream" }));
