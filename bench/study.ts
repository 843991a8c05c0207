import type { Gpu } from "../pipeline/device/gpu.ts";
import type { Effort } from "./measure/stopwatch.ts";
import type { Part as PagePart } from "./report/page.ts";
import type { Log } from "./types.ts";

/** The device that is measured, and how thoroughly. */
export interface Scope {
  readonly gpu: Gpu;
  /** Whether there is little time: fewer trials are run, and the least telling ones come last. */
  readonly quick: boolean;
}

/** The smallest thing that a report measures or leaves out: it takes seconds. */
export interface Part<Found> {
  /** The subject of the study, in a few words. */
  readonly label: string;
  /** How long the part takes, relative to the other parts of its study; 1 if not given. */
  readonly cost?: number;
  measure(log: Log, signal: AbortSignal): Promise<Found>;
}

/** Named ratios and rates that sum up the measurements: "copy, 640×480": "1010 GB/s". */
export type Figures = Readonly<Record<string, string>>;

/** The measurements of parts, which are joined list by list. */
export interface Found {
  readonly rows: readonly { readonly checked: boolean }[];
  /** The omissions and their reasons, the faults and their places. */
  readonly notes: readonly string[];
}

/** A set of measurements that answers a question about a device. */
export interface Study<Of extends Found> {
  /** The key in the JSON document, and the anchor on the page. */
  readonly name: string;
  readonly title: string;
  /** The study's question about the device, in a sentence. */
  readonly question: string;
  /** The name of the study's parts: "volumes". */
  readonly unit: string;
  /** The measurements, the most telling one first: a small budget leaves out the last ones. */
  parts(scope: Scope): readonly Part<Of>[];
  figures(found: Of): Figures;
  /** The parts of the page: tables, which are printed as text, too, and plots. */
  sections(found: Of): readonly PagePart[];
}

/** Each list of all parts' findings. */
export const joined = <Of extends Found>(all: readonly Of[]): Of => {
  const keys = Object.keys(all[0] ?? {}) as (keyof Of)[];
  return Object.fromEntries(keys.map((key) => [key, all.flatMap((one) => one[key])])) as unknown as Of;
};

/** A clock that is read in coarse steps needs longer runs between two stamps: a hundred steps. */
export const effortOn = ({ gpu, quick }: Scope, usual: Effort): Effort => ({
  trials: quick ? Math.min(5, usual.trials) : usual.trials,
  targetUs: Math.max(usual.targetUs, gpu.timestamps ? 100 * gpu.clockResolutionUs : 0),
  budgetMs: quick ? usual.budgetMs / 5 : usual.budgetMs,
});
