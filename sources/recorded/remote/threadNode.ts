import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { HeapFull, NoThread, type Thread } from "./thread.ts";

/** The build puts the address of dist/reader.js here: see config/reader.ts. */
const module = new URL("./workerNode.ts", import.meta.url);

/** Node runs no TypeScript. Where the sources run unbuilt, as in tests, there is no module for a thread. */
export const canStart = !module.pathname.endsWith(".ts");

/** Starts a thread of Node that reads a recording, with a JavaScript heap of `megabytes` MiB. Throws as `startThread` does. */
export const nodeThread = (megabytes: number): Thread =>
  startThread(module, { name: "depthloom reader", resourceLimits: { maxOldGenerationSizeMb: megabytes } });

/**
 * Starts a thread of Node. Throws `NoThread` where the thread's module is missing: the sources run unbuilt, as in tests, or a bundler that
 * made one file of the program has left it out.
 */
export function startThread<Request, Message>(at: URL, options: WorkerOptions): Thread<Request, Message> {
  const path = fileURLToPath(at);
  if (path.endsWith(".ts") || !existsSync(path)) throw new NoThread(`${path} is not there`);
  const worker = new Worker(at, options);
  return {
    post: (request) => worker.postMessage(request),
    listen(heard, died) {
      worker.on("message", (message: Message) => heard(message));
      worker.on("messageerror", died);
      worker.on("error", (error: NodeJS.ErrnoException) => {
        died(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new HeapFull(error.message) : error);
      });
      worker.on("exit", () => died(new Error("its thread has ended")));
    },
    hold: (waiting) => (waiting ? worker.ref() : worker.unref()),
    async end() {
      await worker.terminate();
    },
    memory: () => process.memoryUsage.rss(),
  };
}
