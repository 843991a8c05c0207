import { knobsOf, type Overrides, type TuningSpace, textOf, withValue } from "../../stages/tuning.ts";

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
  /** How long a device is kept busy before it is timed, ms. */
  readonly warmMs?: number;
  log?(variant: Variant): void;
}

/**
 * A GPU that idles while the CPU compiles or computes a twin lowers its clock: an H200 to a sixth, after two seconds; 0.2 s
 * of work bring it back.
 */
const WARM_MS = 400;
const FIRST_TRIALS = 3;
const TRIALS = 12;
/** A variant whose first trials are all slower than the best by this factor is dropped. */
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
 * far, again and again until a whole round changes nothing. Each variant runs in turns with the default and is judged by
 * its share of the default's time: whatever moves a device's clock moves both. Losers are dropped after three trials. In
 * the end the best runs in turns with the default again, and the default stays unless the best is faster beyond their spread.
 */
export async function searchVariants(space: TuningSpace, options: SearchOptions): Promise<SearchResult> {
  const { start, budgetMs, signal } = options;
  const standing = await options.build(start);
  try {
    const first = await measureDefault(standing, start, options);
    options.log?.(first);
    const tried = new Map([[textOf(start), first]]);
    const attempt = async (overrides: Overrides, best: Variant) => {
      const text = textOf(overrides);
      const variant = tried.get(text) ?? (await measure(options, overrides, standing, first.medianUs, best.medianUs));
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
    return { variants: [...tried.values()], ...(await headToHead(options, standing, first, best)) };
  } finally {
    standing.destroy();
  }
}

/** Runs candidates in turns until a device has been busy for `ms`, and each at least once. */
export async function warmUp(candidates: readonly Pick<Candidate, "time">[], ms = WARM_MS): Promise<void> {
  const begin = performance.now();
  do {
    for (const candidate of candidates) await candidate.time();
  } while (performance.now() - begin < ms);
}

async function measureDefault(standing: Candidate, overrides: Overrides, { warmMs }: SearchOptions): Promise<Variant> {
  await warmUp([standing], warmMs);
  const micros: number[] = [];
  const begin = performance.now();
  do micros.push(await standing.time());
  while (micros.length < TRIALS && performance.now() - begin < ENOUGH_MS);
  const fault = await standing.fault();
  const found = { overrides, medianUs: median(micros), checked: fault === undefined, pruned: false };
  return fault === undefined ? found : { ...found, fault };
}

/** Its time is told as its share of the default's, in pairs, times what the default took when it ran alone. */
async function measure(
  options: SearchOptions,
  overrides: Overrides,
  standing: Candidate,
  defaultUs: number,
  bestUs: number,
): Promise<Variant> {
  let candidate: Candidate | undefined;
  try {
    candidate = await options.build(overrides);
    await warmUp([standing, candidate], options.warmMs);
    const begin = performance.now();
    const late = () => performance.now() - begin > ENOUGH_MS;
    const { ours, theirs } = await inTurns(candidate, standing, (shares) => {
      const lost = () => defaultUs * Math.min(...shares) > PRUNE * bestUs;
      return shares.length >= TRIALS || late() || (shares.length === FIRST_TRIALS && lost());
    });
    const shares = sharesOf(ours, theirs);
    const medianUs = defaultUs * median(shares);
    const few = shares.length <= FIRST_TRIALS;
    if (few && defaultUs * Math.min(...shares) > PRUNE * bestUs) {
      return { overrides, medianUs, checked: false, pruned: true };
    }
    const fault = await candidate.fault();
    const found = { overrides, medianUs, checked: fault === undefined, pruned: false };
    return fault === undefined ? found : { ...found, fault };
  } catch (error) {
    // A variant that a device does not take (too many lanes, too much memory) is one that lost; the rest goes on.
    const fault = error instanceof Error ? error.message : String(error);
    return { overrides, medianUs: Infinity, checked: false, pruned: true, fault };
  } finally {
    candidate?.destroy();
  }
}

async function headToHead(options: SearchOptions, standing: Candidate, first: Variant, best: Variant) {
  const challenger = best === first ? undefined : await options.build(best.overrides);
  try {
    await warmUp(challenger ? [standing, challenger] : [standing], options.warmMs);
    const ofDefault = await standing.kernels();
    const untouched = { best: ofDefault, default: ofDefault };
    if (!challenger) return { best: first, default: first, ratios: [], kernels: untouched };
    const ofBest = await challenger.kernels();
    const begin = performance.now();
    const late = () => performance.now() - begin > 10 * ENOUGH_MS;
    const { ours, theirs } = await inTurns(
      challenger,
      standing,
      ({ length }) => length >= ROUNDS || (length >= LEAST_ROUNDS && late()),
    );
    const ratios = sharesOf(ours, theirs);
    const wins = ratios.filter((ratio) => ratio < 1).length / ratios.length;
    const won = wins >= LEAST_WINS && median(ratios) < LEAST_GAIN;
    const base = { ...first, medianUs: median(theirs) };
    if (!won) return { best: base, default: base, ratios, kernels: untouched };
    const kernels = { best: ofBest, default: ofDefault };
    return { best: { ...best, medianUs: median(ours) }, default: base, ratios, kernels };
  } finally {
    challenger?.destroy();
  }
}

/** Whoever goes first may find the clocks lower: they take turns at that too. Asks after each pair whether it is enough. */
async function inTurns(challenger: Candidate, standing: Candidate, enough: (shares: readonly number[]) => boolean) {
  const [ours, theirs]: [number[], number[]] = [[], []];
  do {
    const swap = ours.length % 2 !== 0;
    const one = await (swap ? challenger : standing).time();
    const other = await (swap ? standing : challenger).time();
    theirs.push(swap ? other : one);
    ours.push(swap ? one : other);
  } while (!enough(sharesOf(ours, theirs)));
  return { ours, theirs };
}

const sharesOf = (ours: readonly number[], theirs: readonly number[]) => ours.map((us, i) => us / (theirs[i] ?? us));

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
