import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { Part } from "../report/page.ts";
import { type Found, joined, type Study } from "../study.ts";
import type { Log } from "../types.ts";
import { hasFewTrials, type StudyReport } from "./document.ts";
import { Ending } from "./ending.ts";

/** The time budgets that are offered, in seconds. */
export const BUDGETS_S = { quick: 60, thorough: 240 } as const;

/** How far a measurement is. */
export interface Progress {
  /** The study's title. */
  readonly study: string;
  /** The part that is measured now. */
  readonly part: string;
  /** The number of parts that are left, this one included; a small budget leaves out the last ones. */
  readonly partsLeft: number;
  /** The rest of the time budget. */
  readonly leftS: number;
}

/** Example: "The stages’ kernels: median, 640 × 480 (12 parts left, 45 s)". */
export const progressWords = ({ study, part, partsLeft, leftS }: Progress): string =>
  `${study}: ${part} (${partsLeft} ${partsLeft === 1 ? "part" : "parts"} left, ${Math.ceil(leftS)} s)`;

export interface MeasureOptions {
  readonly budgetS: number;
  /** Whether few trials are enough; default: whether the budget is small. */
  readonly quick?: boolean | undefined;
  /** Stops at once; what was measured before is kept. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Takes a line for each measurement. */
  readonly log: Log;
  /** Takes what was measured so far, at the beginning and after each part. */
  readonly onMeasured?: (soFar: Measured) => void;
  /** The time in milliseconds. */
  readonly now?: () => number;
}

/** A study's report, and the sections of the page that show it. */
export interface Measured {
  readonly study: StudyReport;
  readonly sections: readonly Part[];
  /** Why it ended early: it was stopped, or the GPU was lost; null if it did not. */
  readonly endedEarly: string | null;
}

/**
 * Measures a study's parts, one after the other, and leaves out parts that do not fit into the budget. At least one part is measured, so
 * that the whole can take longer than the budget. A part that fails is noted, and the others go on; if the measurement is stopped or the
 * GPU is lost, what was measured before is returned.
 */
export async function measureDevice<Of extends Found>(
  gpu: Gpu,
  study: Study<Of>,
  options: MeasureOptions,
): Promise<Measured> {
  const { budgetS, signal, onProgress, onMeasured, log, now = () => performance.now() } = options;
  const { name, title, question, unit } = study;
  const begin = now();
  const spentS = () => (now() - begin) / 1000;
  const ending = new Ending(gpu.device, signal);
  const notes: string[] = [];
  const note = (line: string) => {
    if (notes.includes(line)) return;
    notes.push(line);
    log(line);
  };
  const onError = ({ error }: GPUUncapturedErrorEvent) => note(`WebGPU: ${firstLine(error)}`);
  const parts = study.parts({ gpu, quick: options.quick ?? hasFewTrials(budgetS) });
  const all: Of[] = [];
  const leftForTime: string[] = [];
  const measured = (endedEarly: string | null): Measured => {
    const found = all.length > 0 ? joined(all) : undefined;
    const report = {
      name,
      title,
      question,
      unit,
      measured: all.length,
      planned: parts.length,
      leftOut: found ? null : (endedEarly ?? notes[0] ?? "nothing to measure on this device"),
      right: found ? found.rows.every(({ checked }) => checked) : null,
      tookS: Math.round(10 * spentS()) / 10,
      figures: found ? study.figures(found) : {},
      notes: [...notes, ...new Set(found?.notes)],
      measurements: found ?? null,
    };
    return { study: report, sections: found ? study.sections(found) : [], endedEarly };
  };
  gpu.device.addEventListener("uncapturederror", onError);
  try {
    let costTried = 0;
    for (const [i, { label, cost = 1, measure }] of parts.entries()) {
      onMeasured?.(measured(ending.why ?? "it has not finished"));
      if (ending.why !== null) break;
      const expectedS = costTried > 0 ? (spentS() * cost) / costTried : 0;
      // A part may exceed the budget by half its length. A shorter part may still fit.
      if (costTried > 0 && spentS() + expectedS / 2 > budgetS) {
        leftForTime.push(label);
        continue;
      }
      onProgress({ study: title, part: label, partsLeft: parts.length - i, leftS: Math.max(0, budgetS - spentS()) });
      costTried += cost;
      try {
        all.push(await ending.before((stop) => measure(log, stop)));
      } catch (error) {
        if (ending.why === null) note(`${label}: left out: ${firstLine(error)}`);
      }
    }
    if (leftForTime.length > 0) note(`left out for want of time: ${leftForTime.join("; ")}`);
    return measured(ending.why);
  } finally {
    gpu.device.removeEventListener("uncapturederror", onError);
    ending.destroy();
  }
}

/** The first line of what an error says: the device's own errors go on with a backtrace of objects. */
function firstLine(error: unknown): string {
  const text = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return String(text).split("\n")[0] ?? "";
}
