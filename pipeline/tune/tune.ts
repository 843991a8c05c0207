import type { DepthFrame } from "../../core/frame.ts";
import type { ParameterValues } from "../../stages/core/parameters.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { defaultsFor, TuningError } from "../../stages/core/tuning.ts";
import type { Gpu } from "../device/gpu.ts";
import { DeviceLostError } from "../errors.ts";
import { saveProfile } from "./profile.ts";
import { type SearchResult, searchVariants, type Variant } from "./search.ts";
import { openWorkbench, type Workbench } from "./workbench.ts";

export type { SearchResult, Variant };

export interface TuneOptions {
  readonly gpu: Gpu;
  /** A frame like those that the stage will process. */
  readonly frame: DepthFrame;
  /** Makes a stage by its name, with default parameters. */
  make(name: string): Stage;
  readonly stage: string;
  /** Parameters that every workload uses. */
  readonly parameters?: ParameterValues;
  readonly budgetMs: number;
  /** Whether to save the winner, so that `createPipeline` uses it from then on. */
  readonly save: boolean;
  readonly signal?: AbortSignal;
  log?(variant: Variant): void;
}

export interface TuneResult extends SearchResult {
  readonly stage: string;
  /** Where the winner was saved; `undefined` if it was not. */
  readonly savedTo: string | undefined;
}

/**
 * Searches a stage's variants on a device (see `searchVariants`). Throws a `TuningError` if the stage has nothing to tune, or if the
 * default variant itself differs from the twin, since its times then mean nothing. Throws a `DeviceLostError` if the device is lost
 * meanwhile; nothing is saved then.
 */
export async function tuneStage(options: TuneOptions): Promise<TuneResult> {
  const { gpu, frame, make, stage: name, parameters = {}, budgetMs, save, signal, log } = options;
  const space = make(name).tuning;
  if (!space) throw new TuningError(`${name} has nothing to tune`);
  const before = (space.after ?? []).map(make);
  const rows = (space.workloads ?? [{}]).map((own) => JSON.stringify({ ...own, ...parameters }));
  const workloads = [...new Set(rows)].map((row) => {
    const stage = make(name);
    stage.set(JSON.parse(row) as ParameterValues);
    return stage;
  });
  // Calls on a lost device return at once or never, so times measured then are discarded.
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
    const { best, default: baseline } = result;
    if (!baseline.checked)
      throw new TuningError(`${name}: the default variant is wrong on this device: ${baseline.fault}`);
    const entry = {
      overrides: best.overrides,
      medianUs: best.medianUs,
      defaultUs: baseline.medianUs,
      date: new Date().toISOString(),
    };
    return { ...result, stage: name, savedTo: save ? await saveProfile(gpu, name, entry) : undefined };
  } catch (error) {
    // A call may fail because of a device loss before the loss itself is reported.
    await new Promise((resolve) => setTimeout(resolve));
    lost.signal.throwIfAborted();
    throw error;
  } finally {
    rig?.destroy();
  }
}
