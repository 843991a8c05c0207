import type { Gpu } from "../../../pipeline/device/gpu.ts";
import { registry } from "../../../stages/registry.ts";
import { baselines } from "../baselines.ts";
import { type Case, parseCase } from "../cases.ts";
import { makeInput } from "../frames.ts";
import { checkLane } from "../measure/check.ts";
import type { Effort } from "../measure/effort.ts";
import { filmed } from "../measure/film.ts";
import { type Timing, timeOnGpu } from "../measure/gpu.ts";
import { buildLanes, type Lane } from "../measure/lanes.ts";
import { imagesFor } from "../plan.ts";
import type { Input, Size } from "../types.ts";
import { type DispatchTimes, timeDispatches } from "./dispatches.ts";
import { beatsLimit, limitOfLanes } from "./lanes.ts";
import { measureCeilings } from "./measure.ts";
import type { StageLimit } from "./model.ts";
import type { Ceilings, MeasureOptions } from "./types.ts";

/** A stage alone, beside its limit. */
export interface SpreadsheetRow extends Timing {
  readonly stage: string;
  /** The parameters that were set, or "default". */
  readonly variant: string;
  readonly width: number;
  readonly height: number;
  /** The number of images that took turns, so that no cache holds them. */
  readonly images: number;
  readonly limit: StageLimit;
  /** Its dispatches one by one; `null` where there is one alone, or where they cannot be timed. */
  readonly dispatches: DispatchTimes | null;
  /** The limit over the median: 1 is as fast as the device allows. */
  readonly share: number;
  /** Whether the measurement is below the limit, so that the model is wrong. */
  readonly isBeaten: boolean;
  /** Whether the stage's output equals its twin's; `null` where the frame is so large that the twin was not asked. */
  readonly checked: boolean | null;
}

/** What a device can do at most, and how close every stage comes to it. */
export interface Spreadsheet {
  readonly ceilings: Ceilings;
  readonly rows: readonly SpreadsheetRow[];
  /** What was left out and why, what was wrong, and which limit was beaten. */
  readonly notes: readonly string[];
}

export interface SpreadsheetOptions extends MeasureOptions {
  readonly sizes: readonly Size[];
  /** The cases; by default every stage alone. */
  readonly cases?: readonly Case[] | undefined;
  readonly trials?: number | undefined;
  /** Takes the ceilings as soon as they are measured. */
  readonly keep?: ((ceilings: Ceilings) => Promise<void>) | undefined;
}

/** Stages that are measured in other forms than the default as well. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  median: ["median:size=3", "median:size=5"],
  bilateralGrid: ["bilateralGrid", "bilateralGrid:fit=constant:sigmaSpacePx=16:sigmaDepthMm=50"],
};
/** A lens whose distortion `undistort` has to undo. */
const DISTORTION = [0.08, -0.15, 0.001, 0.001, 0.05] as const;
const BENT_IMAGES = 2;
/** Larger frames are not compared with the twins, which would take seconds. */
const CHECKED_PIXELS = 640 * 480;
/** The share of the time that the device's own ceilings take. */
const CEILINGS_SHARE = 0.3;

/** Every stage alone, and the two rows that are not stages. */
export const shippedCases = (): Case[] =>
  [...baselines.keys(), ...registry.keys()].flatMap((name) => FORMS[name] ?? [name]).map(parseCase);

/**
 * Measures a device's ceilings, then stages against them. Runs in Node and in a page; `signal` stops between two measurements. A stage that
 * the device cannot run at a size is named in `notes`.
 */
export async function measureSpreadsheet(gpu: Gpu, options: SpreadsheetOptions): Promise<Spreadsheet> {
  const { sizes, cases = shippedCases(), quick = false, trials, progress, signal, keep } = options;
  const ceilings = await measureCeilings(gpu, {
    ...{ quick, signal },
    progress: (line, share) => progress?.(line, share * CEILINGS_SHARE),
  });
  await keep?.(ceilings);
  const effort: Effort = {
    trials: trials ?? (quick || gpu.software ? 5 : 15),
    targetUs: gpu.software ? 20_000 : 2000,
    budgetMs: quick ? 200 : 1000,
  };
  const rows: SpreadsheetRow[] = [];
  const notes = [...ceilings.notes];
  let done = 0;
  for (const size of sizes) {
    const input = await makeInput("structured", size, imagesFor(size));
    for (const one of cases) {
      signal?.throwIfAborted();
      const where = `${one.stage} (${one.variant}), ${size.width}x${size.height}`;
      progress?.(where, CEILINGS_SHARE + ((1 - CEILINGS_SHARE) * done++) / (cases.length * sizes.length));
      try {
        const row = await measureRow(gpu, one, input, effort, ceilings, (line) => notes.push(`${where}: ${line}`));
        if (row) rows.push(row);
      } catch (error) {
        notes.push(`${where}: left out: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  progress?.("done", 1);
  return { ceilings, rows, notes };
}

/** Measures a stage alone beside its limit; `undefined`, and a note, if the stage does not say what it has to do. */
export async function measureRow(
  gpu: Gpu,
  one: Case,
  input: Input,
  effort: Effort,
  ceilings: Ceilings,
  note: (line: string) => void,
): Promise<SpreadsheetRow | undefined> {
  const isNeeded = one.timed.every((stage) => stage.needed(input.shape));
  const { intrinsics } = input.shape;
  const bent = { ...input.shape, intrinsics: { ...intrinsics, distortion: DISTORTION } };
  // A lens with distortion has a table for each image, which takes seconds to make.
  const film = filmed(one, isNeeded ? input : { ...input, shape: bent, images: input.images.slice(0, BENT_IMAGES) });
  const lanes = await buildLanes(gpu, one, film);
  try {
    const [timing] = await timeOnGpu(gpu, lanes, effort);
    const limit = await limitOfLanes(gpu, lanes, ceilings);
    if (!timing || !limit) {
      note("left out: the stage does not say what it has to do");
      return undefined;
    }
    const dispatches = await timesApart(gpu, lanes, limit, effort, timing.medianUs, note);
    const { width, height } = intrinsics;
    const checked = width * height <= CHECKED_PIXELS ? await isRight(gpu, film, lanes, note) : null;
    const isBeaten = beatsLimit(timing.medianUs, limit.us);
    if (isBeaten) {
      note(`${timing.medianUs} µs, but the limit is ${limit.us.toFixed(2)} µs (${limit.term}): the model is wrong`);
    }
    const share = limit.us / timing.medianUs;
    const { stage, variant } = one;
    const found = { stage, variant, width, height, images: lanes.length, ...timing };
    return { ...found, limit, dispatches, share, isBeaten, checked };
  } finally {
    for (const lane of lanes) lane.destroy();
  }
}

/** Times each dispatch of a stage. Returns `null`, and notes why, if the stage runs other dispatches than it declares. */
async function timesApart(
  gpu: Gpu,
  lanes: readonly Lane[],
  limit: StageLimit,
  effort: Effort,
  stageUs: number,
  note: (line: string) => void,
): Promise<DispatchTimes | null> {
  if (limit.kernels.length < 2 && (limit.kernels[0]?.dispatches ?? 0) < 2) return null;
  try {
    return (await timeDispatches(gpu, lanes, limit, effort, stageUs)) ?? null;
  } catch (error) {
    note(`its dispatches are not timed: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

async function isRight(
  gpu: Gpu,
  { shape }: Input,
  lanes: readonly Lane[],
  note: (line: string) => void,
): Promise<boolean> {
  const [lane] = lanes;
  if (!lane) return false;
  const { faults } = await checkLane(gpu, shape, lane, lanes);
  for (const fault of faults) note(`WRONG: ${fault}`);
  return faults.length === 0;
}
