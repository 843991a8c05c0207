import { messageOf } from "../../core/caught.ts";
import { knobsOf, type Overrides, type TuningSpace, textOf, withValue } from "../../stages/core/tuning.ts";

/** A variant that is built on a device. */
export interface Candidate {
  /** Measures one run of every workload; gives the sum in microseconds. */
  time(): Promise<number>;
  /** Compares the output with the twin's. Gives the difference in words, or `undefined` if there is none. */
  fault(): Promise<string | undefined>;
  /** Times each dispatch in a compute pass of its own, and an empty pass, which tells what a pass itself costs. */
  kernels(): Promise<readonly KernelTime[]>;
  destroy(): void;
}

/** The time of one dispatch under one workload. */
export interface KernelTime {
  readonly workload: number;
  readonly name: string;
  readonly us: number;
}

/** A variant with its measured time. */
export interface Variant {
  readonly overrides: Overrides;
  readonly medianUs: number;
  /** Whether the output was compared with the twin's and found right. */
  readonly checked: boolean;
  /** Whether the variant was dropped after the first trials: its time is coarse, and its output was not compared. */
  readonly pruned: boolean;
  readonly fault?: string;
}

export interface SearchResult {
  /** All variants, in the order in which they were tried; the default comes first. */
  readonly variants: readonly Variant[];
  /** The fastest variant: the default unless another won the head-to-head. Both times come from the head-to-head. */
  readonly best: Variant;
  readonly default: Variant;
  /** The best variant's time over the default's, one ratio per pair of runs. */
  readonly ratios: readonly number[];
  /** The times dispatch by dispatch. */
  readonly kernels: { readonly best: readonly KernelTime[]; readonly default: readonly KernelTime[] };
}

export interface SearchOptions {
  readonly start: Overrides;
  readonly limits: Pick<GPUSupportedLimits, "maxComputeWorkgroupStorageSize">;
  build(overrides: Overrides): Promise<Candidate>;
  /** The search begins no variant later than this many ms after it measured the default. The head-to-head comes on top. */
  readonly budgetMs: number;
  readonly signal?: AbortSignal;
  /** How many ms of work warm the device up before it is timed. */
  readonly warmMs?: number;
  log?(variant: Variant): void;
}

/**
 * A GPU that idles while the CPU compiles or computes a twin lowers its clock (an H200 to a sixth after two seconds). 0.2 s of work raise
 * the clock again.
 */
const WARM_MS = 400;
const FIRST_TRIALS = 3;
const TRIALS = 12;
/** A variant is dropped if its first trials are all slower than the best variant by this factor. */
const PRUNE = 1.25;
const ROUNDS = 15;
const LEAST_ROUNDS = 5;
/** Trials of a slow variant stop after this many ms; rounds of the head-to-head stop after ten times as many. */
const ENOUGH_MS = 2000;
/** A winner has to reach this ratio of times at most, and be faster in this share of the pairs; less is within the spread. */
const LEAST_GAIN = 0.99;
const LEAST_WINS = 0.8;

/**
 * Finds a stage's fastest variant by coordinate descent. Starting at the default, the search tries every value of one knob after the other,
 * with the best values so far for the other knobs. It repeats this until a whole round changes nothing. Each variant runs in turns with the
 * default and is judged by its share of the default's time, because whatever changes the device's clock changes both. Losers are dropped
 * after three trials. At the end the best variant runs in turns with the default again, and wins only beyond their spread.
 */
export async function searchVariants(space: TuningSpace, options: SearchOptions): Promise<SearchResult> {
  const { start, budgetMs, signal } = options;
  const baseline = await options.build(start);
  try {
    const first = await measureDefault(baseline, start, options);
    options.log?.(first);
    const tried = new Map([[textOf(start), first]]);
    const attempt = async (overrides: Overrides, best: Variant) => {
      const text = textOf(overrides);
      const variant = tried.get(text) ?? (await measure(options, overrides, baseline, first.medianUs, best.medianUs));
      if (!tried.has(text)) options.log?.(variant);
      tried.set(text, variant);
      return variant;
    };
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
          const variant = await attempt(overrides, best);
          if (!variant.checked || variant.medianUs >= best.medianUs * LEAST_GAIN) continue;
          best = variant;
          changed = true;
        }
      }
    }
    return { variants: [...tried.values()], ...(await headToHead(options, baseline, first, best)) };
  } finally {
    baseline.destroy();
  }
}

/** Runs the candidates in turns until the device has been busy for `ms`, and each candidate at least once. */
async function warmUp(candidates: readonly Pick<Candidate, "time">[], ms = WARM_MS): Promise<void> {
  const begin = performance.now();
  do {
    for (const candidate of candidates) await candidate.time();
  } while (performance.now() - begin < ms);
}

async function measureDefault(baseline: Candidate, overrides: Overrides, { warmMs }: SearchOptions): Promise<Variant> {
  await warmUp([baseline], warmMs);
  const micros: number[] = [];
  const begin = performance.now();
  do micros.push(await baseline.time());
  while (micros.length < TRIALS && performance.now() - begin < ENOUGH_MS);
  const fault = await baseline.fault();
  const found = { overrides, medianUs: median(micros), checked: fault === undefined, pruned: false };
  return fault === undefined ? found : { ...found, fault };
}

/**
 * Measures a variant. A variant's time is its share of the default's time (by pairs of runs), times the default's time when that ran alone.
 */
async function measure(
  options: SearchOptions,
  overrides: Overrides,
  baseline: Candidate,
  defaultUs: number,
  bestUs: number,
): Promise<Variant> {
  let candidate: Candidate | undefined;
  try {
    candidate = await options.build(overrides);
    await warmUp([baseline, candidate], options.warmMs);
    const begin = performance.now();
    const late = () => performance.now() - begin > ENOUGH_MS;
    const { candidateUs, baselineUs } = await inTurns(candidate, baseline, (shares) => {
      const lost = () => defaultUs * Math.min(...shares) > PRUNE * bestUs;
      return shares.length >= TRIALS || late() || (shares.length === FIRST_TRIALS && lost());
    });
    const shares = sharesOf(candidateUs, baselineUs);
    const medianUs = defaultUs * median(shares);
    const few = shares.length <= FIRST_TRIALS;
    if (few && defaultUs * Math.min(...shares) > PRUNE * bestUs) {
      return { overrides, medianUs, checked: false, pruned: true };
    }
    const fault = await candidate.fault();
    const found = { overrides, medianUs, checked: fault === undefined, pruned: false };
    return fault === undefined ? found : { ...found, fault };
  } catch (error) {
    // A variant that the device refuses (too many lanes, too much memory) has lost; the search goes on.
    const fault = messageOf(error);
    return { overrides, medianUs: Infinity, checked: false, pruned: true, fault };
  } finally {
    candidate?.destroy();
  }
}

async function headToHead(options: SearchOptions, baseline: Candidate, first: Variant, best: Variant) {
  const challenger = best === first ? undefined : await options.build(best.overrides);
  try {
    await warmUp(challenger ? [baseline, challenger] : [baseline], options.warmMs);
    const ofDefault = await baseline.kernels();
    const untouched = { best: ofDefault, default: ofDefault };
    if (!challenger) return { best: first, default: first, ratios: [], kernels: untouched };
    const ofBest = await challenger.kernels();
    const begin = performance.now();
    const late = () => performance.now() - begin > 10 * ENOUGH_MS;
    const { candidateUs, baselineUs } = await inTurns(
      challenger,
      baseline,
      ({ length }) => length >= ROUNDS || (length >= LEAST_ROUNDS && late()),
    );
    const ratios = sharesOf(candidateUs, baselineUs);
    const wins = ratios.filter((ratio) => ratio < 1).length / ratios.length;
    const won = wins >= LEAST_WINS && median(ratios) < LEAST_GAIN;
    const base = { ...first, medianUs: median(baselineUs) };
    if (!won) return { best: base, default: base, ratios, kernels: untouched };
    const kernels = { best: ofBest, default: ofDefault };
    return { best: { ...best, medianUs: median(candidateUs) }, default: base, ratios, kernels };
  } finally {
    challenger?.destroy();
  }
}

/** Times both in pairs until `enough` returns true. The first run of a pair may find a lower clock, so the order alternates. */
async function inTurns(challenger: Candidate, baseline: Candidate, enough: (shares: readonly number[]) => boolean) {
  const [candidateUs, baselineUs]: [number[], number[]] = [[], []];
  do {
    const swap = candidateUs.length % 2 !== 0;
    const one = await (swap ? challenger : baseline).time();
    const other = await (swap ? baseline : challenger).time();
    baselineUs.push(swap ? other : one);
    candidateUs.push(swap ? one : other);
  } while (!enough(sharesOf(candidateUs, baselineUs)));
  return { candidateUs, baselineUs };
}

const sharesOf = (candidateUs: readonly number[], baselineUs: readonly number[]) =>
  candidateUs.map((us, i) => us / (baselineUs[i] ?? us));

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
