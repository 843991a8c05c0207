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
