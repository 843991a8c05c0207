import { OptionError } from "../../../sources/check.ts";
import { StageWorkerError } from "../../errors.ts";
import type { StageWorker } from "./link.ts";

/** Opens the page's worker that the library's stages can run in: for the `worker` option. A page's policy must allow `worker-src 'self'`. */
export function stageWorker(): StageWorker {
  if (import.meta.env.SSR) throw new OptionError("createPipeline: stageWorker is for pages: leave worker out in Node");
  try {
    return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "depthloom stages" });
  } catch (error) {
    // Some browsers throw at once where a page's policy forbids it.
    throw new StageWorkerError(error instanceof Error ? error.message : String(error));
  }
}
