import { createPipeline, type PipelineOptions, StageWorkerError, stageWorker } from "../pipeline/index.ts";

/**
 * Makes a pipeline whose twins a worker computes, so that the page's own thread stays free. A content security policy may forbid workers:
 * then `onNone` is called, and the page computes the twins.
 */
export async function pipelineAside(options: PipelineOptions, onNone = () => {}) {
  try {
    return await createPipeline({ ...options, ...(globalThis.Worker && { worker: stageWorker }) });
  } catch (error) {
    if (!(error instanceof StageWorkerError)) throw error;
    onNone();
    return createPipeline(options);
  }
}
