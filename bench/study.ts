import type { Gpu } from "../pipeline/device/gpu.ts";
import type { Filling } from "../viewer/report/html.ts";
import type { Effort } from "./measure/effort.ts";
import type { CeilingsOptions, CompactionOptions } from "./options.ts";
import type { Section } from "./report/page.ts";
import type { Log } from "./types.ts";

/** What is measured on, and how thoroughly. */
export interface Scope {
  readonly gpu: Gpu;
  /** Little time: fewer trials, and what is less telling comes last. */
  readonly quick: boolean;
  /** Whether buffers of hundreds of megabytes may be made. A page shares its memory with other pages, so there they may not. */
  readonly large: boolean;
  /** What `bench` was asked for, beyond what a report measures. */
  readonly asked?: Omit<CompactionOptions & CeilingsOptions, "adapter">;
}

/** The smallest thing that a report measures or leaves out: it takes seconds. */
export interface Part<Found> {
  /** What is measured, in a few words. */
  readonly label: string;
  /** How long it takes, relative to the other parts of its study; 1 if not given. */
  readonly cost?: number;
  measure(log: Log, signal: AbortSignal): Promise<Found>;
}

/** One of the cases that an answer sums up: "median size 3", "53 % (arithmetic)". */
export interface AnswerCase {
  readonly name: string;
  readonly found: string;
}

/** A claim or a question about graphics processors, and what was found on this one. */
export interface Answer {
  readonly claim: string;
  /** In short, for the cell of a table. */
  readonly found: string;
  /** One by one, where `found` sums up several. */
  readonly cases?: readonly AnswerCase[];
  /** Whether the claim holds; null if it is a question without yes and no, or if too little was measured to tell. */
  readonly holds: boolean | null;
}

/**
 * A set of measurements that answers questions about a device, of pieces that its parts have found. `bench NAME` runs it alone, `report`
 * with the others within a time. Everything in it runs in Node and in a page.
 */
export interface Study<Found extends object, Piece = Found> {
  /** The key in the JSON document, and the anchor on the page. */
  readonly name: string;
  readonly title: string;
  /** What it asks of the device, in a sentence. */
  readonly question: string;
  /** What its parts are: "lengths". */
  readonly unit: string;
  /** The share of the time budget, relative to that of the other studies. */
  readonly weight: number;
  /** What is measured, the most telling first: a small budget leaves out the last. Throws an error that says why this device cannot. */
  parts(scope: Scope): readonly Part<Piece>[];
  /** Makes one of what several parts have found; there is at least one. */
  join(found: readonly Piece[]): Found;
  /** Whether every output that was checked was right. */
  right(found: Found): boolean;
  answers(found: Found): readonly Answer[];
  /** What was left out and why, what was wrong and where, and how much was sampled. */
  notes(found: Found): readonly string[];
  /** The sections of the page: tables, which are printed as text, too, and HTML. */
  sections(found: Found): readonly (Section | Filling)[];
}

/** What a study has found so far. */
export interface StudyResult {
  readonly right: boolean;
  readonly answers: readonly Answer[];
  readonly notes: readonly string[];
  readonly sections: readonly (Section | Filling)[];
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
export interface ListedStudy {
  readonly name: string;
  readonly title: string;
  readonly question: string;
  readonly unit: string;
  readonly weight: number;
  /** Throws an error that says why this device cannot be measured so. */
  open(scope: Scope): OpenStudy;
}

export function listed<Found extends object, Piece = Found>(study: Study<Found, Piece>): ListedStudy {
  const { name, title, question, unit, weight } = study;
  return {
    ...{ name, title, question, unit, weight },
    open(scope) {
      const all: Piece[] = [];
      const parts = study.parts(scope).map(({ measure, ...part }) => ({
        ...part,
        async measure(log: Log, signal: AbortSignal) {
          all.push(await measure(log, signal));
        },
      }));
      return { parts, result: () => (all.length > 0 ? resultOf(study, study.join(all)) : null) };
    },
  };
}

const resultOf = <Found extends object>(study: Omit<Study<Found>, "parts" | "join">, found: Found): StudyResult => ({
  right: study.right(found),
  answers: study.answers(found),
  notes: study.notes(found),
  sections: study.sections(found),
  measurements: found,
});

/**
 * How long a part with this many elements takes, relative to others. A software GPU's time grows with them. On a GPU compiling, warming up
 * and trials take equally long for all sizes; the processor's part grows with the elements, and doubles the time at `doubles` elements.
 */
export const costOf = ({ gpu: { software } }: Scope, elements: number, doubles: number): number =>
  software ? elements : 1 + elements / doubles;

/** A clock that is read in coarse steps needs longer runs between two stamps: a hundred steps. */
export const effortOn = ({ gpu, quick, asked }: Scope, usual: Effort): Effort => ({
  trials: asked?.trials ?? (quick ? Math.min(5, usual.trials) : usual.trials),
  targetUs: Math.max(usual.targetUs, gpu.timestamps ? 100 * gpu.clockResolutionUs : 0),
  budgetMs: quick ? usual.budgetMs / 5 : usual.budgetMs,
});
