import { knobsOf, type Overrides, type TuningSpace, textOf, withValue } from "../stages/tuning.ts";

/** A variant made ready on a device. */
export interface Candidate {
  /** Microseconds of one run under every workload. */
  time(): Promise<number>;
  /** What its output has wrong, in words; `undefined` where it is right. */
  fault(): Promise<string | undefined>;
  /** Each dispatch in a pass of its own, which costs more than the dispatch alone: the empty pass tells how much. */
  kernels(): Promise<readonly KernelTime[]>;
  destroy(): void;
}

/** What one dispatch took, under which workload. */
export interface KernelTime {
  readonly workload: number;
  readonly name: string;
  readonly us: number;
}

/** One variant, measured. */
export interface Variant {
  readonly overrides: Overrides;
  readonly medianUs: number;
  /** Whether its output was held against the twin's and found right. */
  readonly checked: boolean;
  /** Dropped after the first trials: its time is coarse, and its output was not looked at. */
  readonly pruned: boolean;
  readonly fault?: string;
}

export interface SearchResult {
  /** In the order in which they were tried; the default first. */
  readonly variants: readonly Variant[];
  /** The default, unless another won the head-to-head. Times of both are from there. */
  readonly best: Variant;
  readonly default: Variant;
  /** The best's time over the default's, of each pair of runs. */
  readonly ratios: readonly number[];
  /** Dispatch by dispatch. */
  readonly kernels: { readonly best: readonly KernelTime[]; readonly default: readonly KernelTime[] };
}

export interface SearchOptions {
  readonly start: Overrides;
  readonly limits: Pick<GPUSupportedLimits, "maxComputeWorkgroupStorageSize">;
  build(overrides: Overrides): Promise<Candidate>;
  /** No variant is begun this many milliseconds after the default was measured; the head-to-head comes on top. */
  readonly budgetMs: number;
  readonly signal?: AbortSignal;
  log?(variant: Variant): void;
}

const FIRST_TRIALS = 3;
const TRIALS = 12;
/** A variant whose first trials are slower than the best by this factor is dropped. */
const PRUNE = 1.25;
const ROUNDS = 15;
const LEAST_ROUNDS = 5;
/** Trials of a slow variant stop when they have taken this long; rounds of the head-to-head when they took ten times this. */
const ENOUGH_MS = 2000;
/** What wins by less, or in fewer of the pairs, did not win beyond the spread. */
const LEAST_GAIN = 0.99;
const LEAST_WINS = 0.8;

/**
 * Coordinate descent: from the default, one knob after the other is tried at all its values, the others as in the best so
 * far, again and again until a whole round changes nothing. Losers are dropped after three trials. In the end the best
 * and the default run in turns, and the default stays unless the best is faster beyond their spread.
 */
export async function searchVariants(space: TuningSpace, options: SearchOptions): Promise<SearchResult> {
  const { start, budgetMs, signal } = options;
  const tried = new Map<string, Variant>();
  const attempt = async (overrides: Overrides, bestUs: number) => {
    const text = textOf(overrides);
    const variant = tried.get(text) ?? (await measure(options, overrides, bestUs));
    if (!tried.has(text)) options.log?.(variant);
    tried.set(text, variant);
    return variant;
  };
  const first = await attempt(start, Infinity);
  const begin = performance.now();
  let best = first;
  const spent = () => signal?.aborted || performance.now() - begin > budgetMs;
  for (let changed = true; changed; ) {
    changed = false;
    for (const { kernel, name, knob } of knobsOf(space)) {
      const base = best.overrides;
      for (const value of knob.values) {
        const overrides = withValue(base, kernel, name, value);
        if (spent() || space.fits?.(overrides, options.limits) === false) continue;
        const variant = await attempt(overrides, best.medianUs);
        if (!variant.checked || variant.medianUs >= best.medianUs * LEAST_GAIN) continue;
        best = variant;
        changed = true;
      }
    }
  }
  return { variants: [...tried.values()], ...(await headToHead(options, first, best)) };
}

async function measure(options: SearchOptions, overrides: Overrides, bestUs: number): Promise<Variant> {
  let candidate: Candidate | undefined;
  try {
    candidate = await options.build(overrides);
    const micros: number[] = [];
    const begin = performance.now();
    await candidate.time();
    const late = () => performance.now() - begin > ENOUGH_MS;
    for (let trial = 0; trial < TRIALS && (trial === 0 || !late()); trial++) {
      micros.push(await candidate.time());
      if ((trial + 1 === FIRST_TRIALS || late()) && Math.min(...micros) > PRUNE * bestUs) {
        return { overrides, medianUs: median(micros), checked: false, pruned: true };
      }
    }
    const fault = await candidate.fault();
    const found = { overrides, medianUs: median(micros), checked: fault === undefined, pruned: false };
    return fault === undefined ? found : { ...found, fault };
  } catch (error) {
    // A variant that a device does not take (too many lanes, too much memory) is one that lost; the rest goes on.
    const fault = error instanceof Error ? error.message : String(error);
    return { overrides, medianUs: Infinity, checked: false, pruned: true, fault };
  } finally {
    candidate?.destroy();
  }
}

async function headToHead(options: SearchOptions, first: Variant, best: Variant) {
  const candidates: Candidate[] = [];
  try {
    for (const { overrides } of new Set([first, best])) candidates.push(await options.build(overrides));
    const [standing, challenger] = candidates;
    if (!standing) throw new Error("there is no default");
    const ofDefault = await standing.kernels();
    if (!challenger)
      return { best: first, default: first, ratios: [], kernels: { best: ofDefault, default: ofDefault } };
    const kernels = { best: await challenger.kernels(), default: ofDefault };
    const { ours, theirs } = await inTurns(challenger, standing);
    const ratios = ours.map((us, i) => us / (theirs[i] ?? us));
    const wins = ratios.filter((ratio) => ratio < 1).length / ratios.length;
    const won = wins >= LEAST_WINS && median(ratios) < LEAST_GAIN;
    const base = { ...first, medianUs: median(theirs) };
    if (!won) return { best: base, default: base, ratios, kernels: { best: ofDefault, default: ofDefault } };
    return { best: { ...best, medianUs: median(ours) }, default: base, ratios, kernels };
  } finally {
    for (const candidate of candidates) candidate.destroy();
  }
}

/** Whoever goes first may find the clocks lower: they take turns at that too. */
async function inTurns(challenger: Candidate, standing: Candidate) {
  const [ours, theirs]: [number[], number[]] = [[], []];
  const begin = performance.now();
  const late = () => performance.now() - begin > 10 * ENOUGH_MS;
  for (let round = -1; round < ROUNDS && (round < LEAST_ROUNDS || !late()); round++) {
    const swap = round % 2 !== 0;
    const one = await (swap ? challenger : standing).time();
    const other = await (swap ? standing : challenger).time();
    if (round < 0) continue;
    theirs.push(swap ? other : one);
    ours.push(swap ? one : other);
  }
  return { ours, theirs };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
