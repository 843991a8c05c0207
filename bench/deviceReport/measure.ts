import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { Part } from "../report/page.ts";
import type { ListedStudy, OpenStudy, Scope } from "../study.ts";
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
  /** How many parts of this study are left, with this one; a small budget leaves out the last. */
  readonly partsLeft: number;
  /** How many studies are left after the present study. */
  readonly studiesLeft: number;
  /** The share of the time budget that has passed, 0 to 1. */
  readonly share: number;
  /** The rest of the time budget. */
  readonly leftS: number;
}

/** Example: "The stages’ kernels: median, 640 × 480 (12 parts and 2 studies left, 45 s)". */
export function progressWords({ study, part, partsLeft, studiesLeft, leftS }: Progress): string {
  const parts = `${partsLeft} ${partsLeft === 1 ? "part" : "parts"}`;
  const studies = studiesLeft === 0 ? "" : ` and ${studiesLeft} ${studiesLeft === 1 ? "study" : "studies"}`;
  return `${study}: ${part} (${parts}${studies} left, ${Math.ceil(leftS)} s)`;
}

export interface MeasureOptions {
  readonly studies: readonly ListedStudy[];
  /** See `Scope.asked`. */
  readonly asked?: Scope["asked"];
  readonly budgetS: number;
  /** Stops at once; what was measured before is kept. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Takes a line for each measurement. */
  readonly log: Log;
  /** Takes what was measured so far, at the beginning and after each study but the last. */
  readonly onMeasured?: (soFar: Measured) => void;
  /** The time in milliseconds. */
  readonly now?: () => number;
}

/** A study of a report, and the sections of the page that show it. */
export interface MeasuredStudy {
  readonly report: StudyReport;
  readonly sections: readonly Part[];
}

export interface Measured {
  readonly studies: readonly MeasuredStudy[];
  readonly tookS: number;
  /** Why it ended early: it was stopped, or the GPU was lost. */
  readonly endedEarly: string | null;
}

/**
 * Measures one study after the other. Each gets its share of the time that is left; parts that do not fit into it are left out.
 * At least one part of each is measured, so that the whole can take longer than the budget by one part for each study. A part that fails is
 * noted, and the others go on; if the measurement is stopped or the GPU is lost, what was measured before is returned.
 */
export async function measureDevice(gpu: Gpu, options: MeasureOptions): Promise<Measured> {
  const { studies, budgetS, asked, signal, onProgress, onMeasured, log, now = () => performance.now() } = options;
  const scope: Scope = { gpu, quick: asked?.quick ?? hasFewTrials(budgetS), ...(asked && { asked }) };
  const begin = now();
  const ending = new Ending(gpu.device, signal);
  const measured: MeasuredStudy[] = [];
  const soFar = (endedEarly: string | null) => ({ studies: [...measured], tookS: seconds(now() - begin), endedEarly });
  try {
    for (const [i, study] of studies.entries()) {
      onMeasured?.(soFar(ending.why ?? "it has not finished"));
      const weightLeft = studies.slice(i).reduce((sum, { weight }) => sum + weight, 0);
      const leftS = budgetS - (now() - begin) / 1000;
      const onPart = (part: string, partsLeft: number) => {
        const passedS = (now() - begin) / 1000;
        const share = Math.min(1, passedS / budgetS);
        const rest = { share, leftS: Math.max(0, budgetS - passedS) };
        onProgress({ study: study.title, part, partsLeft, studiesLeft: studies.length - 1 - i, ...rest });
      };
      measured.push(
        await measureStudy(study, scope, (leftS * study.weight) / weightLeft, { ending, onPart, log, now }),
      );
    }
    return soFar(ending.why);
  } finally {
    ending.destroy();
  }
}

interface Running {
  readonly ending: Ending;
  readonly onPart: (part: string, partsLeft: number) => void;
  readonly log: Log;
  readonly now: () => number;
}

async function measureStudy(study: ListedStudy, scope: Scope, allottedS: number, running: Running) {
  const { ending, onPart, log, now } = running;
  const { name, title, question, unit } = study;
  const notes: string[] = [];
  const note = (line: string) => {
    if (notes.includes(line)) return;
    notes.push(line);
    log(line);
  };
  const onError = ({ error }: GPUUncapturedErrorEvent) => note(`WebGPU: ${firstLine(error)}`);
  const opened = openStudy(study, scope);
  const { parts, result }: OpenStudy = "failed" in opened ? { parts: [], result: () => null } : opened;
  const begin = now();
  const leftForTime: string[] = [];
  let [costTried, finished] = [0, 0];
  scope.gpu.device.addEventListener("uncapturederror", onError);
  for (const [i, part] of parts.entries()) {
    if (ending.why !== null) break;
    const { label, cost = 1 } = part;
    const spentMs = now() - begin;
    const expectedMs = costTried > 0 ? (spentMs * cost) / costTried : 0;
    // A part may exceed the share by half its length. A shorter part may still fit.
    if (costTried > 0 && spentMs + expectedMs / 2 > allottedS * 1000) {
      leftForTime.push(label);
      continue;
    }
    onPart(label, parts.length - i);
    costTried += cost;
    try {
      await ending.before((signal) => part.measure(log, signal));
      finished++;
    } catch (error) {
      if (ending.why === null) note(`${label}: left out: ${firstLine(error)}`);
    }
  }
  if (leftForTime.length > 0) note(`left out for want of time: ${leftForTime.join("; ")}`);
  scope.gpu.device.removeEventListener("uncapturederror", onError);
  const found = result();
  const leftOut = "failed" in opened ? opened.failed : (ending.why ?? notes[0] ?? "nothing to measure on this device");
  const report: StudyReport = {
    name,
    title,
    question,
    unit,
    measured: finished,
    planned: parts.length,
    leftOut: found ? null : leftOut,
    right: found?.right ?? null,
    tookS: seconds(now() - begin),
    figures: found?.figures ?? {},
    notes: [...notes, ...(found?.notes ?? [])],
    measurements: found?.measurements ?? null,
  };
  return { report, sections: found?.sections ?? [] };
}

function openStudy(study: ListedStudy, scope: Scope): OpenStudy | { readonly failed: string } {
  try {
    return study.open(scope);
  } catch (error) {
    return { failed: firstLine(error) };
  }
}

const seconds = (ms: number) => Math.round(ms / 100) / 10;

/** The first line of what an error says: the device's own errors go on with a backtrace of objects. */
function firstLine(error: unknown): string {
  const text = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return String(text).split("\n")[0] ?? "";
}
