import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Message } from "./messages.ts";
import { HeapFull, NoThread, type Thread } from "./thread.ts";

/** The build puts the address of dist/reader.js here: see config/reader.ts. */
const module = new URL("./workerNode.ts", import.meta.url);

/** Node runs no TypeScript. Where the sources run unbuilt, as in tests, there is no module for a thread. */
export const canStart = !module.pathname.endsWith(".ts");

/**
 * Starts a thread of Node that reads a recording, with a JavaScript heap of `megabytes` MiB. Throws `NoThread` where the thread's module is
 * missing: a bundler that made one file of the program has left it out.
 */
export function nodeThread(megabytes: number): Thread {
  if (!existsSync(fileURLToPath(module))) throw new NoThread(`${fileURLToPath(module)} is not there`);
  const worker = new Worker(module, {
    name: "depthloom reader",
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  });
  return {
    post: (request) => worker.postMessage(request),
    listen(heard, died) {
      worker.on("message", (message: Message) => heard(message));
      worker.on("messageerror", died);
      worker.on("error", (error: NodeJS.ErrnoException) => {
        died(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new HeapFull(error.message) : error);
      });
      worker.on("exit", () => died(new Error("its reading thread has ended")));
    },
    hold: (waiting) => (waiting ? worker.ref() : worker.unref()),
    async end() {
      await worker.terminate();
    },
    memory: () => process.memoryUsage.rss(),
  };
}
