import { untilAborted } from "../core/abort.ts";
import type { Pipeline } from "./api.ts";
import { openGpu } from "./device/open.ts";
import { checkPipeline, type PipelineOptions } from "./options.ts";
import { PipelineImpl } from "./pipeline.ts";
import { profilesFor } from "./tune/profile.ts";

/**
 * Opens a device as the options ask and makes a pipeline on it. Throws an `OptionError` for invalid options, an `AdapterError` if "webgpu"
 * was asked for and no adapter exists, and a `StageWorkerError` if the worker of the option `worker` does not start. If `signal` is
 * aborted before the pipeline is made, rejects with the signal's reason.
 *
 * @example
 * const pipeline = await createPipeline({ stages: defaultStages({ preset: "realsense" }), backend: "cpu" });
 */
export async function createPipeline(options: PipelineOptions): Promise<Pipeline> {
  checkPipeline(options);
  return untilAborted(
    options.signal,
    () => create(options),
    (late) => late.destroy(),
  );
}

async function create(options: PipelineOptions): Promise<Pipeline> {
  const { backend = "auto", adapter = "auto" } = options;
  const open = () => openGpu(backend === "webgpu" && adapter === "auto" ? "hardware" : adapter);
  const gpu = backend === "cpu" ? null : (options.gpu ?? (await open()));
  const profiles = gpu && options.tuned !== false ? await profilesFor(gpu) : undefined;
  const pipeline = new PipelineImpl(options, gpu, options.gpu ? options.reopen : open, profiles);
  try {
    await pipeline.opened();
  } catch (error) {
    await pipeline.destroy();
    throw error;
  }
  return pipeline;
}
