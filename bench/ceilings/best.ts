import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { Spread } from "../types.ts";
import type { LimitBy } from "./lanes.ts";
import { type CeilingsOptions, measureCeilings } from "./measure.ts";
import type { StageLimit, Term } from "./model.ts";
import type { Ceilings, LoadWait, MemoryRate, Rates, StartRate } from "./types.ts";

// The speed of a machine wanders. A software GPU's changes by as much as 1.5 times from one minute to the next, since other programs use
// its processor. So a stage can be quicker than a limit that was measured in a slow minute. Before that counts as a fault of the model,
// ceilings and stage are measured by turns.

/** The most times that the ceilings and a stage that beats its limit are measured again. */
const TURNS = 3;

/** Measures the ceilings that some terms rest on. */
type Measure = (terms: ReadonlySet<Term>) => Promise<Ceilings>;

/** The best that a device was seen to do in a run. */
export class BestCeilings {
  constructor(
    public known: Ceilings,
    readonly measure: Measure,
  ) {}

  /** Begins with what was measured of a GPU before. */
  static of(gpu: Gpu, known: Ceilings, options: Pick<CeilingsOptions, "mostBytes" | "signal"> = {}): BestCeilings {
    return new BestCeilings(known, (terms) => measureCeilings(gpu, { ...options, quick: true, terms }));
  }

  /**
   * Learns from the rows that are not stages, whose kernels do nothing but what a ceiling is of: where `empty` or `copy` was quicker than
   * the ceiling says, its time is the better measurement of it.
   */
  learn(stage: string, { medianUs }: Pick<Spread, "medianUs">, { kernels }: StageLimit, images: number): void {
    const [kernel] = kernels;
    const { dispatchUs, memory } = this.known;
    if (stage === "empty" && medianUs < dispatchUs) this.known = { ...this.known, dispatchUs: medianUs };
    if (stage !== "copy" || !kernel) return;
    const copyGBps = kernel.bytes / medianUs / 1000;
    // The working set whose rates this copy's own limit is made of.
    const at = Math.max(
      0,
      memory.findLastIndex(({ bytes }) => bytes <= kernel.bytes * images),
    );
    const quicker = (one: MemoryRate, i: number) => (i === at && copyGBps > one.copyGBps ? { ...one, copyGBps } : one);
    const found = memory.map(quicker);
    if (found[at] !== memory[at]) this.known = { ...this.known, memory: found };
  }

  /** Measures again what a limit rests on: the largest term of each kernel. */
  async again({ kernels }: StageLimit): Promise<void> {
    this.known = bestOf(this.known, await this.measure(new Set(kernels.map(({ term }) => term))));
  }
}

/**
 * Holds a stage's times, of which the first one counts, against its limit. As long as they beat it, the ceilings and then the stage are
 * measured again, three times at the most. Returns the last times: if they still beat the limit, so did all that went before.
 */
export async function timesBesideLimit<Times extends readonly Spread[]>(
  first: Times,
  time: () => Promise<Times>,
  limitBy: LimitBy,
  best: BestCeilings,
): Promise<Times> {
  let times = first;
  const isBeaten = () => times[0] !== undefined && times[0].medianUs < limitBy(best.known).us;
  for (let turn = 0; turn < TURNS && isBeaten(); turn++) {
    await best.again(limitBy(best.known));
    if (isBeaten()) times = await time();
  }
  return times;
}

/** The better of two measurements of a device, figure by figure. What was not measured in one of them is taken from the other. */
export function bestOf(a: Ceilings, b: Ceilings): Ceilings {
  const rates = Object.entries(a.rates).map(([key, rate]) => [key, higher(rate, b.rates[key as keyof Rates])]);
  return {
    memory: joined(a.memory, b.memory, bytesOf, quickerMemory),
    rates: Object.fromEntries(rates) as Rates,
    starts: joined(a.starts, b.starts, ({ invocations }) => invocations, quickerStarts),
    waits: joined(a.waits, b.waits, bytesOf, shorterWait),
    dispatchUs: shorter(a.dispatchUs, b.dispatchUs),
    roundTripUs: shorter(a.roundTripUs, b.roundTripUs),
    uploadUs: shorter(a.uploadUs, b.uploadUs),
    checked: a.checked && b.checked,
    notes: [...new Set([...a.notes, ...b.notes])],
    date: a.date > b.date ? a.date : b.date,
  };
}

/** `null` stands for a rate that a device does not have. */
const higher = (a: number | null, b: number | null) => (a === null ? b : Math.max(a, b ?? 0));
/** A time of 0 was not measured. */
const shorter = (a: number, b: number) => (a > 0 && b > 0 ? Math.min(a, b) : Math.max(a, b));
const bytesOf = ({ bytes }: { readonly bytes: number }) => bytes;
const shorterWait = (a: LoadWait, b: LoadWait): LoadWait => ({ bytes: a.bytes, ns: shorter(a.ns, b.ns) });
const quickerStarts = (a: StartRate, b: StartRate): StartRate => (a.workgroups > b.workgroups ? a : b);
const quickerMemory = (a: MemoryRate, b: MemoryRate): MemoryRate => ({
  bytes: a.bytes,
  readGBps: Math.max(a.readGBps, b.readGBps),
  writeGBps: Math.max(a.writeGBps, b.writeGBps),
  copyGBps: Math.max(a.copyGBps, b.copyGBps),
});

/** Joins two lists by a key, in the order of the keys. */
function joined<T>(
  a: readonly T[] = [],
  b: readonly T[] = [],
  keyOf: (one: T) => number,
  better: (a: T, b: T) => T,
): T[] {
  const found = new Map<number, T>();
  for (const one of [...a, ...b]) {
    const other = found.get(keyOf(one));
    found.set(keyOf(one), other === undefined ? one : better(other, one));
  }
  return [...found].sort(([a], [b]) => a - b).map(([, one]) => one);
}
