import { type Gpu, openGpu, type Pipeline } from "../../../pipeline/index.ts";
import { registry } from "../../../stages/registry.ts";
import { pipelineAside } from "../../pipelineAside.ts";
import type { AppOptions } from "../state/options.ts";
import { CpuSurface } from "../view/surface/cpuSurface.ts";
import { RecoveringSurface } from "../view/surface/recoveringSurface.ts";
import type { Surface } from "../view/surface/surface.ts";

/** The pipeline and the surface that shows its pictures. */
export interface Engine {
  readonly pipeline: Pipeline;
  readonly surface: Surface;
  readonly gpu: Gpu | null;
  readonly kind: "hardware" | "software" | "cpu";
  /** Tells the user why there is no GPU. */
  readonly notice: string | undefined;
}

/** Opens the device that the page's options ask for, or none, and makes the stages on it. */
export async function openEngine(
  canvas: HTMLCanvasElement,
  options: AppOptions,
  onDeviceLost: (notice: string) => void,
  onCode: (error?: unknown) => void,
): Promise<Engine> {
  const { gpu, notice } = await findGpu(options);
  const factories = [...registry.values()];
  const stages = factories.map((create) => create());
  const backend = gpu ? "auto" : "cpu";
  // Timing costs a fast GPU measurable time, so only every fourth frame is timed there.
  const timeEvery = gpu && !gpu.software ? 4 : 1;
  const drawn = gpu && new RecoveringSurface(canvas, gpu, onCode);
  const surface = drawn ?? new CpuSurface(canvas);
  // The surface draws on the pipeline's device, so both move to the next device.
  const reopen = async () => {
    const next = await openGpu(options.adapter);
    if (next) drawn?.moveTo(next);
    return next;
  };
  const lost = (notice: string) => {
    if (!pipeline.gpu) drawn?.moveToCpu();
    onDeviceLost(notice);
  };
  const given = { stages, backend, timeEvery, noise: "none", onDeviceLost: lost, ...(gpu && { gpu, reopen }) } as const;
  let slower: string | undefined;
  const pipeline: Pipeline = await pipelineAside(given, () => {
    slower = "The filters cannot run in the background here, so the page may stutter while they run.";
  });
  for (const { stageName, role, byDefault } of factories) {
    if (role === "filter") pipeline.configure(stageName, { enabled: byDefault });
  }
  const kind = gpu ? (gpu.software ? "software" : "hardware") : "cpu";
  return { pipeline, surface, gpu, kind, notice: slower ?? notice };
}

async function findGpu({ adapter, backend }: AppOptions): Promise<{ gpu: Gpu | null; notice: string | undefined }> {
  if (backend === "cpu") return { gpu: null, notice: undefined };
  const without = (why: string) => ({ gpu: null, notice: `${why}: running on the CPU, at a lower resolution.` });
  if (!navigator.gpu) return without("This browser has no WebGPU");
  try {
    const gpu = await openGpu(adapter);
    return gpu ? { gpu, notice: undefined } : without("No GPU found");
  } catch (error) {
    return without(`WebGPU does not start (${error instanceof Error ? error.message : error})`);
  }
}
