import type { Gpu } from "../pipeline/device/gpu.ts";
import type { Effort } from "./measure/stopwatch.ts";
import type { CeilingsOptions } from "./options.ts";
import type { Part as PagePart } from "./report/page.ts";
import type { Log } from "./types.ts";

/** The device that is measured, and how thoroughly. */
export interface Scope {
  readonly gpu: Gpu;
  /** Little time: fewer trials, and what is less telling comes last. */
  readonly quick: boolean;
  /** The requests to `bench` beyond the contents of a report. */
  readonly asked?: Omit<CeilingsOptions, "adapter">;
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

/**
 * A set of measurements that answers a question about a device. `bench NAME` runs it alone, `report` with the others within a time.
 */
export interface Study<Of extends Found> {
  /** The key in the JSON document, and the anchor on the page. */
  readonly name: string;
  readonly title: string;
  /** The study's question about the device, in a sentence. */
  readonly question: string;
  /** The name of the study's parts: "lengths". */
  readonly unit: string;
  /** The share of the time budget, relative to that of the other studies. */
  readonly weight: number;
  /** What is measured, the most telling first: a small budget leaves out the last. Throws an error that says why this device cannot. */
  parts(scope: Scope): readonly Part<Of>[];
  figures(found: Of): Figures;
  /** Whether every output that was checked was right: all rows' unless given. */
  right?(found: Of): boolean;
  /** The parts of the page: tables, which are printed as text, too, and plots. */
  sections(found: Of): readonly PagePart[];
}

/** The results of a study so far. */
export interface StudyResult {
  /** Whether every output that was checked was right. */
  readonly right: boolean;
  readonly figures: Figures;
  readonly notes: readonly string[];
  readonly sections: readonly PagePart[];
  /** The measurements themselves. */
  readonly measurements: object;
}

/** A study that is under way. Its parts keep what they find. */
export interface OpenStudy {
  readonly parts: readonly Part<void>[];
  /** Null as long as nothing was measured. */
  result(): StudyResult | null;
}

/** A study as an entry of a list, whatever its measurements are. */
export interface ListedStudy extends Omit<Study<never>, "parts" | "figures" | "sections" | "right"> {
  /** Throws an error that says why the study cannot run on this device. */
  open(scope: Scope): OpenStudy;
}

export function listed<Of extends Found>(study: Study<Of>): ListedStudy {
  const { name, title, question, unit, weight } = study;
  return {
    name,
    title,
    question,
    unit,
    weight,
    open(scope) {
      const all: Of[] = [];
      const parts = study.parts(scope).map(({ measure, ...part }) => ({
        ...part,
        async measure(log: Log, signal: AbortSignal) {
          all.push(await measure(log, signal));
        },
      }));
      return { parts, result: () => (all.length > 0 ? resultOf(study, joined(all)) : null) };
    },
  };
}

/** Each list of all parts' findings. */
const joined = <Of extends Found>(all: readonly Of[]): Of => {
  const keys = Object.keys(all[0] ?? {}) as (keyof Of)[];
  return Object.fromEntries(keys.map((key) => [key, all.flatMap((one) => one[key])])) as unknown as Of;
};

const resultOf = <Of extends Found>(study: Study<Of>, found: Of): StudyResult => ({
  right: study.right?.(found) ?? found.rows.every(({ checked }) => checked),
  figures: study.figures(found),
  notes: [...new Set(found.notes)],
  sections: study.sections(found),
  measurements: found,
});

/**
 * How long a part with this many elements takes, relative to other parts. A software GPU's time grows with the elements. On a GPU
 * compiling, warming up and trials take equally long for all sizes, and only the processor's work grows: at `doubles` elements that work
 * takes as long as all the rest.
 */
export const costOf = ({ gpu: { software } }: Scope, elements: number, doubles: number): number =>
  software ? elements : 1 + elements / doubles;

/** A clock that is read in coarse steps needs longer runs between two stamps: a hundred steps. */
export const effortOn = ({ gpu, quick, asked }: Scope, usual: Effort): Effort => ({
  trials: asked?.trials ?? (quick ? Math.min(5, usual.trials) : usual.trials),
  targetUs: Math.max(usual.targetUs, gpu.timestamps ? 100 * gpu.clockResolutionUs : 0),
  budgetMs: quick ? usual.budgetMs / 5 : usual.budgetMs,
});

/** Figures without those that were not measured. */
export const known = (figures: readonly (readonly [name: string, value: string])[]): Figures =>
  Object.fromEntries(figures.filter(([, value]) => value !== ""));
