import { openGpu } from "./device/open.ts";
import { checkPipeline, type PipelineOptions } from "./options.ts";
import { Pipeline } from "./pipeline.ts";
import { profilesFor } from "./tune/profile.ts";

/**
 * Opens a device as asked for and makes a pipeline. Throws an `AdapterError` if "webgpu" was asked for and there is none, an
 * `OptionError` for options that cannot be, and a `StageWorkerError` where `worker` does not start.
 */
export async function createPipeline(options: PipelineOptions): Promise<Pipeline> {
  checkPipeline(options);
  const { backend = "auto", adapter = "auto" } = options;
  const open = () => openGpu(backend === "webgpu" && adapter === "auto" ? "hardware" : adapter);
  const gpu = backend === "cpu" ? null : (options.gpu ?? (await open()));
  const profiles = gpu && options.tuned !== false ? await profilesFor(gpu) : undefined;
  const pipeline = new Pipeline(options, gpu, options.gpu ? options.reopen : open, profiles);
  try {
    await pipeline.opened();
  } catch (error) {
    await pipeline.destroy();
    throw error;
  }
  return pipeline;
}
