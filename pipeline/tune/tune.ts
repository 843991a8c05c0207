import type { DepthFrame } from "../../sources/frame.ts";
import type { Stage } from "../../stages/stage.ts";
import { defaultsFor, TuningError } from "../../stages/tuning.ts";
import type { Gpu } from "../device/gpu.ts";
import { DeviceLostError } from "../errors.ts";
import { saveProfile } from "./profile.ts";
import { type SearchResult, searchVariants, type Variant } from "./search.ts";
import { openWorkbench, type Workbench } from "./workbench.ts";

export type { SearchResult, Variant };

export interface TuneOptions {
  readonly gpu: Gpu;
  /** A frame like those that are to come. */
  readonly frame: DepthFrame;
  /** Makes the stage by its name, with its default parameters. */
  make(name: string): Stage;
  readonly stage: string;
  /** Parameters that every workload is to have. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly budgetMs: number;
  /** Whether what wins is remembered, for `createPipeline` to use from then on. */
  readonly save: boolean;
  readonly signal?: AbortSignal;
  log?(variant: Variant): void;
}

export interface TuneResult extends SearchResult {
  readonly stage: string;
  /** Where it was remembered; `undefined` if it was not. */
  readonly savedTo: string | undefined;
}

/**
 * Searches a stage's variants on a device (see `searchVariants`). Throws a `TuningError` if there is nothing to choose in
 * the stage, or if the default itself does not draw what its twin does: then no time of it means anything. A `DeviceLostError` if
 * the device is lost meanwhile; nothing is saved then.
 */
export async function tuneStage(options: TuneOptions): Promise<TuneResult> {
  const { gpu, frame, make, stage: name, parameters = {}, budgetMs, save, signal, log } = options;
  const space = make(name).tuning;
  if (!space) throw new TuningError(`${name} has nothing to choose`);
  const before = (space.after ?? []).map(make);
  const rows = (space.workloads ?? [{}]).map((own) => JSON.stringify({ ...own, ...parameters }));
  const workloads = [...new Set(rows)].map((row) => {
    const stage = make(name);
    stage.set(JSON.parse(row) as Record<string, unknown>);
    return stage;
  });
  // What is lost answers at once or not at all: times of it mean nothing, and nothing of it is kept.
  const lost = new AbortController();
  void gpu.device.lost.then(({ message }) => lost.abort(new DeviceLostError(message)));
  let rig: Workbench | undefined;
  try {
    rig = await openWorkbench(gpu, frame, before, workloads);
    const { build } = rig;
    const result = await searchVariants(space, {
      start: defaultsFor(space, gpu.device),
      limits: gpu.device.limits,
      build,
      budgetMs,
      signal: AbortSignal.any([lost.signal, ...(signal ? [signal] : [])]),
      ...(log && { log }),
    });
    lost.signal.throwIfAborted();
    const { best, default: standing } = result;
    if (!standing.checked) throw new TuningError(`${name}, untuned, is wrong on this device: ${standing.fault}`);
    const entry = {
      overrides: best.overrides,
      medianUs: best.medianUs,
      defaultUs: standing.medianUs,
      date: new Date().toISOString(),
    };
    return { ...result, stage: name, savedTo: save ? await saveProfile(gpu, name, entry) : undefined };
  } catch (error) {
    // What a lost device does not answer may fail before its loss is told.
    await new Promise((resolve) => setTimeout(resolve));
    lost.signal.throwIfAborted();
    throw error;
  } finally {
    rig?.destroy();
  }
}
