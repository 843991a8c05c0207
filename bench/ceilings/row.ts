import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { Case } from "../cases.ts";
import { checkLane } from "../measure/check.ts";
import type { Effort } from "../measure/effort.ts";
import { filmed } from "../measure/film.ts";
import { type Timing, timeOnGpu } from "../measure/gpu.ts";
import { buildLanes, type Lane } from "../measure/lanes.ts";
import type { Input } from "../types.ts";
import { type BestCeilings, timesBesideLimit } from "./best.ts";
import { type DispatchTimes, timeDispatches } from "./dispatches.ts";
import { beatsLimit, limitOfLanes } from "./lanes.ts";
import type { StageLimit } from "./model.ts";
import type { Ceilings } from "./types.ts";

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
  /** The times of the stage's dispatches; `null` if the stage has a single one, or if they cannot be timed apart. */
  readonly dispatches: DispatchTimes | null;
  /** The limit over the median: 1 is as fast as the device allows. */
  readonly share: number;
  /** Whether the measurements are below the limit by more than their spread, so that the model is wrong. */
  readonly isBeaten: boolean;
  /** Whether the stage's output equals its twin's; `null` where the frame is so large that the twin was not asked. */
  readonly checked: boolean | null;
}

/** A stage that was measured. Its limit follows from the best ceilings, which are known when all is measured. */
export type MeasuredRow = (ceilings: Ceilings) => SpreadsheetRow;

/** A lens whose distortion `undistort` has to undo. */
const DISTORTION = [0.08, -0.15, 0.001, 0.001, 0.05] as const;
const BENT_IMAGES = 2;
/** Larger frames are not compared with the twins, which would take seconds. */
const CHECKED_PIXELS = 640 * 480;

/** Example: "median (size=3), 640x480". */
export const placeOf = (row: Pick<SpreadsheetRow, "stage" | "variant" | "width" | "height">): string =>
  `${row.stage} (${row.variant}), ${row.width}x${row.height}`;

/** A line for each limit that was beaten. */
export const beatenNotes = (rows: readonly SpreadsheetRow[]): string[] =>
  rows
    .filter(({ isBeaten }) => isBeaten)
    .map((row) => {
      const { us, term } = row.limit;
      return `${placeOf(row)}: ${row.medianUs} µs, but the limit is ${us.toFixed(2)} µs (${term}): the model is wrong`;
    });

/**
 * Measures a stage alone beside its limit; `undefined`, and a note, if the stage does not say what it has to do. If the limit is beaten,
 * `best` is measured again.
 */
export async function measureRow(
  gpu: Gpu,
  one: Case,
  input: Input,
  effort: Effort,
  best: BestCeilings,
  note: (line: string) => void,
): Promise<MeasuredRow | undefined> {
  const isNeeded = one.timed.every((stage) => stage.needed(input.shape));
  const { intrinsics } = input.shape;
  const bent = { ...input.shape, intrinsics: { ...intrinsics, distortion: DISTORTION } };
  // A lens with distortion has a table for each image, which takes seconds to make.
  const film = filmed(one, isNeeded ? input : { ...input, shape: bent, images: input.images.slice(0, BENT_IMAGES) });
  const lanes = await buildLanes(gpu, one, film);
  try {
    const time = () => timeOnGpu(gpu, lanes, effort);
    const first = await time();
    const limitBy = await limitOfLanes(gpu, lanes);
    if (limitBy && first[0]) best.learn(one.stage, first[0], limitBy(best.known), lanes.length);
    const [timing] = limitBy ? await timesBesideLimit(first, time, limitBy, best) : [];
    if (!timing || !limitBy) {
      note("left out: the stage does not say what it has to do");
      return undefined;
    }
    const apart = await timesApart(gpu, lanes, limitBy(best.known), effort, timing.medianUs, note);
    const { width, height } = intrinsics;
    const checked = width * height <= CHECKED_PIXELS ? await isRight(gpu, film, lanes, note) : null;
    const { stage, variant } = one;
    const found = { stage, variant, width, height, images: lanes.length, ...timing };
    return (ceilings) => {
      const limit = limitBy(ceilings);
      const share = limit.us / timing.medianUs;
      return {
        ...found,
        limit,
        dispatches: apart?.(limit) ?? null,
        share,
        isBeaten: beatsLimit(timing, limit.us),
        checked,
      };
    };
  } finally {
    for (const lane of lanes) lane.destroy();
  }
}

/** Times each dispatch of a stage. Returns `undefined`, and notes why, if the stage runs other dispatches than it declares. */
async function timesApart(
  gpu: Gpu,
  lanes: readonly Lane[],
  limit: StageLimit,
  effort: Effort,
  stageUs: number,
  note: (line: string) => void,
): Promise<((limit: StageLimit) => DispatchTimes) | undefined> {
  if (limit.kernels.length < 2 && (limit.kernels[0]?.dispatches ?? 0) < 2) return undefined;
  try {
    return await timeDispatches(gpu, lanes, limit, effort, stageUs);
  } catch (error) {
    note(`its dispatches are not timed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
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
