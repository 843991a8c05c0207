/** The pipeline was destroyed while a stream went through it, or is used after that. */
export class PipelineDestroyedError extends Error {
  override readonly name = "PipelineDestroyedError";

  constructor() {
    super("this pipeline has been destroyed: make another one");
  }
}

/** The GPU is gone: its driver stopped it, it was unplugged, or somebody destroyed the device. */
export class DeviceLostError extends Error {
  override readonly name = "DeviceLostError";

  constructor(why: string) {
    super(`the GPU was lost${why ? ` (${why})` : ""}: open another one, or take the CPU backend`);
  }
}

/** The worker that is to run the stages does not start. */
export class StageWorkerError extends Error {
  override readonly name = "StageWorkerError";

  constructor(why: string) {
    super(`the stages' worker has failed (${why}): make the pipeline again, or without a worker`);
  }
}

/** What an `OptionError` says of a stage that the worker would not have. */
export const foreignToWorker = (name: string): string =>
  `createPipeline: the stage ${name} is not one of the library's own, which a worker could make again: leave worker out`;
