import type { Clock, FrameTiming } from "../frame.ts";

/** The time of one frame at 30 frames a second. */
export const DEFAULT_BUDGET_MS = 1000 / 30;

/** A ring of the newest `capacity` values. */
export class Series {
  readonly #ring: Float64Array;
  readonly #sorted: Float64Array;
  #count = 0;

  constructor(capacity = 512) {
    this.#ring = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  /** Adds a value; the oldest goes where the ring is full. */
  push(value: number): void {
    this.#ring[this.#count++ % this.#ring.length] = value;
  }

  /** How many values are held. */
  get length(): number {
    return Math.min(this.#count, this.#ring.length);
  }

  /** The mean, and percentiles by nearest rank. All are 0 while no value is held. */
  summary(): Summary {
    this.#sorted.set(this.#ring);
    const sorted = this.#sorted.subarray(0, this.length).sort();
    const at = (p: number) => sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? 0;
    const meanMs = sorted.reduce((sum, ms) => sum + ms, 0) / Math.max(1, sorted.length);
    return { samples: sorted.length, meanMs, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) };
  }

  /** How many of the values exceed `limit`. */
  countAbove(limit: number): number {
    let above = 0;
    for (let i = 0; i < this.length; i++) if (this.#ring[i] > limit) above++;
    return above;
  }
}

/** Mean and percentiles of the held samples, in milliseconds. */
export interface Summary {
  /** Number of samples held. */
  readonly samples: number;
  /** The mean, which over many frames is finer than the clock's steps; percentiles are not. */
  readonly meanMs: number;
  /** The median. */
  readonly p50Ms: number;
  /** The 95th percentile. */
  readonly p95Ms: number;
  /** The 99th percentile. */
  readonly p99Ms: number;
  /** The longest time. */
  readonly maxMs: number;
}

/** The times of one stage. */
export interface StageSummary extends Summary {
  /** The stage's name in the pipeline. */
  readonly name: string;
  /** The clock that the times were read from. */
  readonly clock: Clock;
  /** p50 as a share of the frame budget; above 1 where the stage alone exceeds the budget. */
  readonly share: number;
  /** How many of the samples exceed the budget. */
  readonly overBudget: number;
}

/** The times and counts of a pipeline's frames at this moment; times in milliseconds. */
export interface StatisticsSnapshot {
  /** The time that a frame may take: the pipeline's option `budgetMs`. */
  readonly budgetMs: number;
  /** The stages, in the order in which they ran. */
  readonly stages: readonly StageSummary[];
  /** Whole frames, from the begin of the first stage to the end of the last. */
  readonly frame: Summary & {
    /** How many of the samples exceed the budget. */
    readonly overBudget: number;
    /** The clock that the times were read from. */
    readonly clock: Clock;
  };
  /**
   * The time from taking a frame until its upload begins, wall clock. In it the filters are set by the noise, and stages whose parameters
   * changed are rebuilt.
   */
  readonly prepare: Summary;
  /** Uploading a frame, wall clock. */
  readonly upload: Summary;
  /** What is left of a frame's way until it is known to be done, wall clock: encoding, the GPU's queue, and noticing the end. */
  readonly queueWait: Summary;
  /** Showing a frame, wall clock, as reported to `Pipeline.presented`. */
  readonly present: Summary;
  /**
   * The whole way of a frame through the pipeline: prepare, upload and queue wait on the wall clock, and the stages on the clock that
   * `frame.clock` names. Where the GPU's clock counts more for the stages than has passed, the sum is that much longer than on the wall.
   */
  readonly total: Summary & {
    /** How many of the samples exceed the budget. */
    readonly overBudget: number;
  };
  /** Frames that came out. These, the dropped and the unreadable ones add up to what the source had. */
  readonly frames: number;
  /** Frames that the pipeline dropped or the source skipped. */
  readonly dropped: number;
  /** Frames that the source could not read. */
  readonly unreadable: number;
  /** The message of the last unreadable frame's error. */
  readonly lastFault: string | undefined;
  /** Tiles of `dofSplat` whose list was full, so that the picture lacks splats there: the sum over all timed frames. */
  readonly overflow: number;
  /** Full tile lists of the newest timed frame. */
  readonly overflowNow: number;
  /** Sampled frames without a time: the GPU's clock ran backwards, or no slot for timestamps was free. */
  readonly discarded: number;
}

/** All measurements of a pipeline; only the pipeline writes them. Keeps the newest `capacity` samples of each kind. */
export class Statistics {
  /** Frames that came out. */
  frames = 0;
  /** Frames that the pipeline dropped or the source skipped. */
  dropped = 0;
  /** Frames that the source could not read. */
  unreadable = 0;
  /** The message of the last unreadable frame's error. */
  lastFault: string | undefined;
  /** Full tile lists of all timed frames. */
  overflow = 0;
  /** Full tile lists of the newest timed frame. */
  overflowNow = 0;
  /** Sampled frames without a time. */
  discarded = 0;
  /** Times from when a frame is taken until its upload begins, ms on the wall clock. */
  prepare!: Series;
  /** Times of uploading, ms on the wall clock. */
  upload!: Series;
  /** Times of encoding, waiting in the GPU's queue and noticing the end, ms on the wall clock. */
  queueWait!: Series;
  /** Times of showing frames, ms on the wall clock. */
  present!: Series;
  /** Times of the whole way, ms on the wall clock. */
  total!: Series;
  /** How often `restart` was called. Frames that arrived before the newest call are left out of the statistics. */
  restarts = 0;
  #clock: Clock = "wall";
  #frame!: Series;
  #stages!: Map<string, Series>;

  constructor(
    /** The time that a frame may take, ms. */
    readonly budgetMs: number,
    /** The most samples of each kind that are kept. */
    readonly capacity = 512,
  ) {
    this.reset();
  }

  /** Adds one frame's times. A change of clock discards the times before, because numbers of two clocks must not mix. */
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

  /** Counts a frame that the source could not read. */
  cannotRead(index: number, { message }: Error): void {
    this.unreadable++;
    this.lastFault = `frame ${index}: ${message}`;
  }

  /** Counts the full tile lists of a timed frame. */
  overflowed(tiles: number): void {
    this.overflow += tiles;
    this.overflowNow = tiles;
  }

  /** Discards all times and counts: the next frames come from another source. */
  restart(): void {
    this.restarts++;
    this.frames = this.dropped = this.unreadable = this.overflow = this.overflowNow = this.discarded = 0;
    this.lastFault = undefined;
    this.reset();
  }

  /** Discards the times and keeps the counts: the stages have changed. */
  reset(): void {
    this.prepare = new Series(this.capacity);
    this.upload = new Series(this.capacity);
    this.queueWait = new Series(this.capacity);
    this.present = new Series(this.capacity);
    this.total = new Series(this.capacity);
    this.#frame = new Series(this.capacity);
    this.#stages = new Map();
  }

  /** The percentiles and counts at this moment. */
  snapshot(): StatisticsSnapshot {
    const { budgetMs, frames, dropped, unreadable, lastFault, overflow, overflowNow, discarded } = this;
    const clock = this.#clock;
    return {
      budgetMs,
      stages: [...this.#stages].map(([name, series]) => {
        const summary = series.summary();
        const overBudget = series.countAbove(budgetMs);
        return { name, clock, ...summary, share: summary.p50Ms / budgetMs, overBudget };
      }),
      frame: { ...this.#frame.summary(), overBudget: this.#frame.countAbove(budgetMs), clock },
      prepare: this.prepare.summary(),
      upload: this.upload.summary(),
      queueWait: this.queueWait.summary(),
      present: this.present.summary(),
      total: { ...this.total.summary(), overBudget: this.total.countAbove(budgetMs) },
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
