import { messageOf } from "../../../core/caught.ts";
import { OptionError } from "../../../core/check.ts";
import { StageWorkerError } from "../../errors.ts";
import type { StageWorker } from "./link.ts";

/**
 * Opens the worker in which the library's stages can run in a page; pass this function as the option `worker` of `createPipeline`. The
 * page's content security policy must allow `worker-src 'self'`. Throws an `OptionError` in Node and a `StageWorkerError` where the page's
 * policy forbids the worker.
 */
export function stageWorker(): StageWorker {
  if (import.meta.env.SSR) throw new OptionError("createPipeline: stageWorker is for pages: leave worker out in Node");
  // All pages of this origin share the names of locks, so the name has to be unique.
  const name = `depthloom stages ${Math.random()}`;
  try {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name });
    watch(worker, name);
    return worker;
  } catch (error) {
    // Some browsers throw here if the page's policy forbids workers.
    throw new StageWorkerError(messageOf(error));
  }
}

/**
 * Reports a worker that ends without an event. The worker holds a lock for its whole life, so the page gets the lock when the worker is
 * gone. (Insecure pages have no locks; there this does nothing.)
 */
function watch(worker: Worker, lock: string): void {
  const gone = () => worker.dispatchEvent(new ErrorEvent("error", { message: "it was ended" }));
  worker.addEventListener("message", () => void navigator.locks?.request(lock, gone), { once: true });
}
