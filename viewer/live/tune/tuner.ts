import { DeviceLostError, type Pipeline } from "../../../pipeline/index.ts";
import type { TuneResult } from "../../../pipeline/tune/tune.ts";
import { type DepthFrame, image } from "../../../sources/index.ts";
import type { Stage } from "../../../stages/core/stage.ts";
import { stageNamed } from "../../../stages/registry.ts";

/** The progress of tuning. */
export interface Progress {
  readonly stage: string;
  /** The number of variants of this stage that were tried. */
  readonly variants: number;
  /** The time of the default variant and of the fastest so far, µs. */
  readonly defaultUs: number;
  readonly bestUs: number;
  /** The share of the whole time budget that has passed, 0 to 1. */
  readonly share: number;
}

export interface TunerOptions {
  readonly pipeline: Pipeline;
  /** A frame like those that the pipeline will process. */
  readonly frame: DepthFrame;
  /** After this time no further variant of a stage begins. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** A stage could not be tuned; the others continue. */
  readonly onError: (error: unknown) => void;
}

/** The enabled stages that have variants with their present settings. A grid of planes, for instance, has only one. */
const tunableOf = (pipeline: Pipeline): readonly Stage[] =>
  pipeline.stages.filter(({ name, tuning, schema, parameters }) => {
    if (!pipeline.isEnabled(name)) return false;
    const { workloads = [{}] } = tuning ?? { workloads: [] };
    const isSet = ([name, value]: [string, unknown]) => schema[name]?.live || parameters[name] === value;
    return workloads.some((workload) => Object.entries(workload).every(isSet));
  });

/**
 * Searches the variants of every stage on the pipeline's own device, stores the fastest and gives them to the pipeline. Nothing else may
 * use the device meanwhile. On a software GPU tuning uses half of the frame's rows and columns, since whole frames would take seconds each.
 */
export async function tunePipeline(options: TunerOptions): Promise<readonly TuneResult[]> {
  const { pipeline, frame, budgetMs, signal, onProgress, onError } = options;
  const { gpu } = pipeline;
  if (!gpu) return [];
  const { tuneStage } = await import("../../../pipeline/tune/tune.ts");
  const stages = tunableOf(pipeline);
  const shown = gpu.software ? halved(frame) : frame;
  const results: TuneResult[] = [];
  for (const [i, { name, schema, parameters }] of stages.entries()) {
    if (signal.aborted) break;
    // Parameters that cause a rebuild keep their values; the tuning's own workloads vary the live ones.
    const built = Object.entries(parameters).filter(([parameter]) => !schema[parameter]?.live);
    const begin = performance.now();
    let [variants, defaultUs, bestUs] = [0, Number.NaN, Number.POSITIVE_INFINITY];
    const report = () => {
      const share = (i + Math.min(1, (performance.now() - begin) / budgetMs)) / stages.length;
      onProgress({ stage: name, variants, defaultUs, bestUs, share });
    };
    report();
    const log = ({ medianUs, checked }: { medianUs: number; checked: boolean }) => {
      if (variants++ === 0) defaultUs = medianUs;
      if (checked) bestUs = Math.min(bestUs, medianUs);
      report();
    };
    const common = { gpu, frame: shown, make: stageNamed, stage: name, parameters: Object.fromEntries(built) };
    try {
      results.push(await tuneStage({ ...common, budgetMs, save: true, signal, log }));
    } catch (error) {
      onError(error);
      if (error instanceof DeviceLostError) break;
    }
  }
  await pipeline.retune();
  return results;
}

/** Takes every second pixel of every second row. */
function halved({ depth, color, intrinsics, ...rest }: DepthFrame): DepthFrame {
  const [width, height] = [intrinsics.width >> 1, intrinsics.height >> 1];
  const half = new Uint16Array(width * height);
  const rgba = color && new Uint8Array(width * height * 4);
  for (let i = 0; i < half.length; i++) {
    const from = 2 * Math.floor(i / width) * intrinsics.width + 2 * (i % width);
    half[i] = depth.data[from];
    if (color) rgba?.set(color.data.subarray(4 * from, 4 * from + 4), 4 * i);
  }
  const { fx, fy, cx, cy } = intrinsics;
  return {
    ...rest,
    depth: image(half, [height, width]),
    ...(rgba && { color: image(rgba, [height, width, 4]) }),
    intrinsics: { ...intrinsics, width, height, fx: fx / 2, fy: fy / 2, cx: cx / 2, cy: cy / 2 },
  };
}
