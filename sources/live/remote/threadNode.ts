import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { NoThread } from "../../recorded/remote/thread.ts";
import type { LiveThread } from "./client.ts";

/** The build puts the address of dist/stream.js here: see config/reader.ts. */
const module = new URL("./streamNode.ts", import.meta.url);

/**
 * Starts a thread of Node that receives a stream. Throws `NoThread` where the thread's module is missing: the sources run unbuilt, as in
 * tests, or a bundler that made one file of the program has left it out.
 */
export function nodeThread(): LiveThread {
  const path = fileURLToPath(module);
  if (path.endsWith(".ts") || !existsSync(path)) throw new NoThread(`${path} is not there`);
  const worker = new Worker(module, { name: "depthloom stream" });
  return {
    post: (request) => worker.postMessage(request),
    listen(heard, died) {
      worker.on("message", heard);
      worker.on("error", (error) => died(error.message));
      worker.on("exit", () => died("it has ended"));
    },
    end: () => void worker.terminate(),
  };
}
