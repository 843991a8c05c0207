import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { Case } from "../cases.ts";
import type { Ceilings } from "../ceilings/types.ts";
import { beatsLimit, limitOf, workOf } from "../limit.ts";
import type { Input, Log, Mode, Result } from "../types.ts";
import { checkLane } from "./check.ts";
import { timeOnGpu } from "./gpu.ts";
import { buildLanes } from "./lanes.ts";
import type { Effort } from "./stopwatch.ts";

const LARGE_PIXELS = 4e6;

/** A device, and how it was opened. */
export interface OpenGpu {
  readonly mode: Mode;
  readonly gpu: Gpu;
}

/** The fields of a report's row that identify the case and its input. */
export const identity = ({ stage, variant }: Case, { data, shape, images }: Input) => {
  const { width, height } = shape.intrinsics;
  return { stage, variant, width, height, elements: width * height, data, images: images.length };
};

/**
 * Times a case and compares its outputs with the CPU twins'. Returns a row for each way of timing; none if the device refuses the frame,
 * which `note` reports. Where the ceilings are known, the first row has the limit beside its time.
 */
export async function measureOnGpu(
  one: Case,
  input: Input,
  { mode, gpu }: OpenGpu,
  effort: Effort,
  note: Log,
  ceilings?: Ceilings,
): Promise<Result[]> {
  const row = identity(one, input);
  const where = `${row.stage} (${row.variant}), ${row.width}x${row.height} ${row.data}, ${mode}`;
  const lanes = await buildLanes(gpu, one, input).catch((error: unknown) => {
    // A frame that exceeds the device's limits or memory is left out; the other frames go on.
    note(`${where}: left out: ${error instanceof Error ? error.message : error}`);
  });
  if (!lanes) return [];
  try {
    const timings = await timeOnGpu(gpu, lanes, effort);
    // Checks the first and the last image; of a large frame, for which a twin takes long, only the first.
    const count = row.elements < LARGE_PIXELS ? 2 : 1;
    const ends = [...new Set([lanes[0], lanes.at(-1)])].filter((lane) => lane !== undefined).slice(0, count);
    const verdicts = [];
    for (const lane of ends) verdicts.push(await checkLane(gpu, input.shape, lane, lanes));
    const faults = verdicts.flatMap((verdict) => verdict.faults);
    for (const fault of faults) note(`${where}: WRONG: ${fault}`);
    const common = { bytes: verdicts[0]?.bytes ?? 0, checked: faults.length === 0, backend: "webgpu", mode } as const;
    const [lane] = lanes;
    const work = lane && workOf(lane, row.elements, common.bytes);
    const limit = ceilings && work && limitOf(work, ceilings, common.bytes * lanes.length);
    if (limit && work?.uncounted.length)
      note(`${where}: the limit is without the operations of ${work.uncounted.join(", ")}, which are not counted`);
    return timings.map((timing) => {
      if (!limit || timing.method !== "pass") return { ...row, ...timing, ...common };
      const { us: limitUs, term: limitTerm } = limit;
      if (beatsLimit(timing.p90Us, limitUs)) {
        note(
          `${where}: ${timing.medianUs} µs, but the limit is ${limitUs.toFixed(2)} (${limitTerm}): the model is wrong`,
        );
      }
      return { ...row, ...timing, ...common, limitUs, limitTerm };
    });
  } finally {
    for (const lane of lanes) lane.destroy();
  }
}
