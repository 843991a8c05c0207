import { dispatchesOf } from "../pipeline/tune/stopwatch.ts";
import type { Ceilings, MemoryRate } from "./ceilings/types.ts";
import type { Lane } from "./measure/lanes.ts";
import type { Term } from "./types.ts";

// T = max(arithmetic, memory, launch): the least time of a case on a device whose ceilings are known. Every term is a bound from below, so
// that a time below the limit shows an error of the ceilings or of the counts. Nothing here knows of waiting, of workgroup memory or of
// atomics: a time far above its limit may be spent on these.

const TERMS: readonly Term[] = ["arithmetic", "memory", "launch"];

/**
 * 32-bit operations for each pixel of the frame, a multiply-add as one: counted in the kernels on the synthetic room at 640×480, of which
 * 95 % of the pixels are valid, with the stage's defaults (bilateralGrid: fit=constant, its cheapest). The operations of dofSplat depend on
 * the blur and those of stereo on the search, so they are not counted. Nor are those of a stage from elsewhere.
 */
const OPERATIONS: Readonly<Record<string, number>> = {
  empty: 0,
  copy: 0,
  threshold: 4,
  decimate: 30,
  despeckle: 150,
  median: 45,
  bilateralGrid: 130,
  track: 50,
  temporal: 135,
  fillHoles: 60,
  undistort: 13,
  split: 4,
  paint: 140,
  compact: 50,
};

/** The work of a case for one frame. */
export interface Work {
  readonly operations: number;
  /** The stages whose operations are not counted: `operations` is without them. */
  readonly uncounted: readonly string[];
  /** Every input read once and every output written once, stage by stage. */
  readonly bytes: number;
  readonly launches: number;
}

interface Limit {
  readonly us: number;
  /** The largest term. */
  readonly term: Term;
  /** In µs. */
  readonly terms: Readonly<Record<Term, number>>;
}

/** The work of a lane's stages on a frame of this many pixels, which moves this many bytes. */
export function workOf({ steps }: Lane, pixels: number, bytes: number): Work {
  const operations = steps.reduce((sum, { stage }) => sum + (OPERATIONS[stage.kind] ?? 0) * pixels, 0);
  const uncounted = steps.map(({ stage }) => stage.kind).filter((kind) => OPERATIONS[kind] === undefined);
  const launches = steps.reduce((sum, { built }) => sum + dispatchesOf(built).length, 0);
  return { operations, uncounted, bytes, launches };
}

/** The least time of a frame. `workingSet` is the number of bytes that are gone through before the same input is read again. */
export function limitOf(
  { operations, bytes, launches }: Omit<Work, "uncounted">,
  ceilings: Ceilings,
  workingSet: number,
): Limit {
  const { f32, i32, logic, both } = ceilings.rates;
  const terms = {
    arithmetic: over(operations, Math.max(f32, i32, logic, both)),
    memory: over(bytes, rateFor(ceilings.memory, workingSet)),
    launch: launches * ceilings.dispatchUs,
  };
  const term = TERMS.reduce((largest, one) => (terms[one] > terms[largest] ? one : largest));
  return { us: terms[term], term, terms };
}

/** Microseconds of this many operations or bytes at 10⁹ per second; 0 where the rate is not known. */
const over = (number: number, perNanosecond: number) => (perNanosecond > 0 ? number / perNanosecond / 1000 : 0);

/** The best rate that was measured with working sets of about this size or more: smaller ones may fit a nearer cache. */
function rateFor(known: readonly MemoryRate[], workingSet: number): number {
  const sorted = [...known].sort((a, b) => a.bytes - b.bytes);
  const from = Math.max(
    0,
    sorted.findLastIndex(({ bytes }) => bytes <= workingSet),
  );
  return Math.max(
    0,
    ...sorted.slice(from).flatMap(({ readGBps, writeGBps, copyGBps }) => [readGBps, writeGBps, copyGBps]),
  );
}

/** The kernels that measure rates spend some 4 % on their own loops: a limit is beaten only by more than that. */
const DOUBT = 0.05;

/** Whether nine tenths of the times lie below a limit by more than `DOUBT`. */
export const beatsLimit = (p90Us: number, limitUs: number): boolean => p90Us < limitUs * (1 - DOUBT);
