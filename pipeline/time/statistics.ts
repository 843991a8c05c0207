import type { Clock, FrameTiming } from "../frame.ts";

/** The time of one frame at 30 frames a second. */
export const DEFAULT_BUDGET_MS = 1000 / 30;

/** A ring of the newest `capacity` values; `push` does not allocate. */
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

  /** Percentiles by nearest rank. All are 0 while no value is held. */
  summary(): Summary {
    const sorted = this.#ring.slice(0, this.length).sort();
    const at = (p: number) => sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? 0;
    return { samples: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) };
  }

  countAbove(limit: number): number {
    return this.#ring.subarray(0, this.length).filter((value) => value > limit).length;
  }
}

/** Percentiles of the held samples, in milliseconds. */
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
  /** p50 as a share of the frame budget; above 1 where the stage alone exceeds the budget. */
  readonly share: number;
}

/** The times and counts of a pipeline's frames at this moment; times in milliseconds. */
export interface StatisticsSnapshot {
  readonly budgetMs: number;
  readonly stages: readonly StageSummary[];
  readonly frame: Summary & { readonly overBudget: number; readonly clock: Clock };
  /** Wall clock, ms: uploading the frame; waiting in the GPU's queue; presenting, as the viewer reports it. */
  readonly upload: Summary;
  readonly queueWait: Summary;
  readonly present: Summary;
  /** Frames that came out. These, the dropped and the unreadable ones add up to what the source had. */
  readonly frames: number;
  readonly dropped: number;
  /** How many frames the source could not read, and the message of the last one's error. */
  readonly unreadable: number;
  readonly lastFault: string | undefined;
  /** Tiles of `dofSplat` whose list was full, so that the picture lacks splats there: in all timed frames, and in the newest. */
  readonly overflow: number;
  readonly overflowNow: number;
  /** Sampled frames without a time: the GPU's clock ran backwards, or no slot for timestamps was free. */
  readonly discarded: number;
}

/** All measurements of a pipeline; only the pipeline writes them. Keeps the newest `capacity` samples of each kind. */
export class Statistics {
  frames = 0;
  dropped = 0;
  unreadable = 0;
  lastFault: string | undefined;
  overflow = 0;
  overflowNow = 0;
  discarded = 0;
  upload: Series;
  queueWait: Series;
  present: Series;
  /** Counts the calls of `restart`. Events of a frame that arrived at a lower count are not counted. */
  count = 0;
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
    this.count++;
    this.frames = this.dropped = this.unreadable = this.overflow = this.overflowNow = this.discarded = 0;
    this.lastFault = undefined;
    this.upload = new Series(this.capacity);
    this.queueWait = new Series(this.capacity);
    this.present = new Series(this.capacity);
    this.reset();
  }

  /** Discards the times and keeps the counts: the stages have changed. */
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
