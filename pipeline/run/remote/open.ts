import { OptionError } from "../../../sources/check.ts";
import { StageWorkerError } from "../../errors.ts";
import type { StageWorker } from "./link.ts";

/**
 * Opens the page's worker that the library's stages can run in: for the `worker` option. A page's policy must allow `worker-src
 * 'self'`.
 */
export function stageWorker(): StageWorker {
  if (import.meta.env.SSR) throw new OptionError("createPipeline: stageWorker is for pages: leave worker out in Node");
  // Every page of this address hears of the same locks.
  const name = `depthloom stages ${Math.random()}`;
  try {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name });
    watch(worker, name);
    return worker;
  } catch (error) {
    // Some browsers throw at once where a page's policy forbids it.
    throw new StageWorkerError(error instanceof Error ? error.message : String(error));
  }
}

/** A worker may go without a word: it holds a lock for as long as it lives, and who gets that next knows. (No secure page: no locks.) */
function watch(worker: Worker, lock: string): void {
  const gone = () => worker.dispatchEvent(new ErrorEvent("error", { message: "it was ended" }));
  worker.addEventListener("message", () => void navigator.locks?.request(lock, gone), { once: true });
}
