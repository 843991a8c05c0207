/** The pipeline was destroyed, while a stream ran through it or before this call. */
export class PipelineDestroyedError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "PipelineDestroyedError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_PIPELINE_DESTROYED";

  constructor() {
    super("this pipeline has been destroyed: make another one");
  }
}

/** The GPU is gone: its driver stopped it, it was unplugged, or somebody destroyed the device. */
export class DeviceLostError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "DeviceLostError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_DEVICE_LOST";

  constructor(why: string) {
    super(`the GPU was lost${why ? ` (${why})` : ""}: open another one, or take the CPU backend`);
  }
}

/** The results of a frame were asked for after a newer one had taken its place in the pipeline's buffers. */
export class StaleFrameError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "StaleFrameError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_STALE_FRAME";

  constructor(index: number) {
    const advice = "read it synchronously when you are handed the frame, or hold the source with waitUntil";
    super(`frame ${index} has been overwritten by a newer one: ${advice}`);
  }
}

/** A source delivered more frames to a "lossless" stream than may wait, because the source does not honour `waitUntil`. */
export class OverrunError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "OverrunError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_OVERRUN";
}

/** The worker that should run the stages does not start, or it died. */
export class StageWorkerError extends Error {
  /** Names the class where `instanceof` cannot: across workers and copies of the library. */
  override readonly name = "StageWorkerError";
  /** As in every `DepthloomError`. */
  readonly code: string = "DEPTHLOOM_STAGE_WORKER";

  constructor(why: string) {
    super(`the stages' worker has failed (${why}): make the pipeline again, or without a worker`);
  }
}

/** The message of the `OptionError` for a stage that the worker cannot make, since the worker has only the library's own stages. */
export const foreignToWorker = (name: string): string =>
  `createPipeline: the stage ${name} is not one of the library's own, and a worker can make only those: leave worker out`;
