import type { Clock, FrameTiming } from "../frame.ts";

/** 30 frames a second. */
export const DEFAULT_BUDGET_MS = 1000 / 30;

/** The last `capacity` values of something, without allocating. */
export class Series {
  readonly #ring: Float64Array;
  #count = 0;

  constructor(capacity = 512) {
    this.#ring = new Float64Array(capacity);
  }

  push(value: number): void {
    this.#ring[this.#count++ % this.#ring.length] = value;
  }

  /** How many values are held. */
  get length(): number {
    return Math.min(this.#count, this.#ring.length);
  }

  /** Percentiles by nearest rank; all zero while nothing was measured. */
  summary(): Summary {
    const sorted = this.#ring.slice(0, this.length).sort();
    const at = (p: number) => sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? 0;
    return { samples: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) };
  }

  countAbove(limit: number): number {
    return this.#ring.subarray(0, this.length).filter((value) => value > limit).length;
  }
}

/** Milliseconds over the samples held. */
export interface Summary {
  readonly samples: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface StageSummary extends Summary {
  readonly name: string;
  readonly clock: Clock;
  /** p50 over the frame budget, 0 … 1 and beyond. */
  readonly share: number;
}

export interface StatisticsSnapshot {
  readonly budgetMs: number;
  readonly stages: readonly StageSummary[];
  readonly frame: Summary & { readonly overBudget: number; readonly clock: Clock };
  /** Wall clock, ms: handing the frame to the queue; waiting behind other work; what the viewer reports of presenting. */
  readonly upload: Summary;
  readonly queueWait: Summary;
  readonly present: Summary;
  /** Frames that came out. These, the dropped and the unreadable ones are all that the source had. */
  readonly frames: number;
  readonly dropped: number;
  /** Frames that could not be read, and why the last of them could not. */
  readonly unreadable: number;
  readonly lastFault: string | undefined;
  /** Tiles of `dofSplat` whose list was full, over all timed frames, and in the newest: the picture has holes there. */
  readonly overflow: number;
  readonly overflowNow: number;
  /** Frames that were to be timed and have no time: a timestamp ran backwards, or all slots for them were away. */
  readonly discarded: number;
}

/**
 * Where all that is measured of a pipeline comes together; the pipeline alone writes it. Holds a bounded window of samples: the
 * last `capacity` of each kind.
 */
export class Statistics {
  frames = 0;
  dropped = 0;
  unreadable = 0;
  lastFault: string | undefined;
  overflow = 0;
  overflowNow = 0;
  discarded = 0;
  readonly upload: Series;
  readonly queueWait: Series;
  readonly present: Series;
  #clock: Clock = "wall";
  #frame: Series;
  #stages = new Map<string, Series>();

  constructor(
    readonly budgetMs: number,
    readonly capacity = 512,
  ) {
    this.upload = new Series(capacity);
    this.queueWait = new Series(capacity);
    this.present = new Series(capacity);
    this.#frame = new Series(capacity);
  }

  /** Takes one frame's times. Another clock or other stages begin a new window: numbers of two kinds are never mixed. */
  record(timing: FrameTiming): void {
    if (timing.clock !== this.#clock) this.reset();
    this.#clock = timing.clock;
    this.#frame.push(timing.totalMs);
    for (const { name, ms } of timing.stages) {
      let series = this.#stages.get(name);
      if (!series) {
        series = new Series(this.capacity);
        this.#stages.set(name, series);
      }
      series.push(ms);
    }
  }

  /** A frame that the source could not read. */
  cannotRead(index: number, { message }: Error): void {
    this.unreadable++;
    this.lastFault = `frame ${index}: ${message}`;
  }

  /** So many tiles' lists were full in a timed frame. */
  overflowed(tiles: number): void {
    this.overflow += tiles;
    this.overflowNow = tiles;
  }

  /** Forgets the times (not the counts): the stages changed. */
  reset(): void {
    this.#frame = new Series(this.capacity);
    this.#stages = new Map();
  }

  snapshot(): StatisticsSnapshot {
    const { budgetMs, frames, dropped, unreadable, lastFault, overflow, overflowNow, discarded } = this;
    const clock = this.#clock;
    return {
      budgetMs,
      stages: [...this.#stages].map(([name, series]) => {
        const summary = series.summary();
        return { name, clock, ...summary, share: summary.p50Ms / budgetMs };
      }),
      frame: { ...this.#frame.summary(), overBudget: this.#frame.countAbove(budgetMs), clock },
      upload: this.upload.summary(),
      queueWait: this.queueWait.summary(),
      present: this.present.summary(),
      frames,
      dropped,
      unreadable,
      lastFault,
      overflow,
      overflowNow,
      discarded,
    };
  }
}
