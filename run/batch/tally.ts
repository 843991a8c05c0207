import type { Done, Job } from "./job/types.ts";
import type { RunListener } from "./run.ts";

/** How a recording ended. */
type Outcome = { readonly done: Done } | { readonly reason: string };

/** Counts of recordings. */
export interface Counts {
  readonly found: number;
  readonly done: number;
  /** How many of `done` had results before this run. */
  readonly before: number;
  readonly failed: number;
  readonly running: number;
  readonly left: number;
}

/** Counts done, failed and remaining recordings of a batch, and estimates the remaining time. */
export class Tally implements RunListener {
  readonly outcomes = new Map<string, Outcome>();
  readonly #running = new Set<string>();
  readonly #begin: number;
  #bytesDone = 0;
  #bytesLeft = 0;

  constructor(
    readonly jobs: readonly Job[],
    readonly before: ReadonlyMap<string, Done>,
    readonly now: () => number = () => performance.now(),
  ) {
    this.#begin = now();
    for (const job of jobs) {
      const done = before.get(job.key);
      if (job.fault !== undefined) this.outcomes.set(job.key, { reason: job.fault });
      else if (done) this.outcomes.set(job.key, { done });
      else this.#bytesLeft += weightOf(job);
    }
  }

  begun({ key }: Job): void {
    this.#running.add(key);
  }

  done(job: Job, done: Done): void {
    this.#end(job, { done });
  }

  failed(job: Job, reason: string, again: boolean): void {
    if (again) this.#running.delete(job.key);
    else this.#end(job, { reason });
  }

  #end(job: Job, outcome: Outcome): void {
    this.#running.delete(job.key);
    if (!this.outcomes.has(job.key)) {
      this.#bytesDone += weightOf(job);
      this.#bytesLeft -= weightOf(job);
    }
    this.outcomes.set(job.key, outcome);
  }

  get counts(): Counts {
    const failed = [...this.outcomes.values()].filter((outcome) => "reason" in outcome).length;
    const [found, ended, running] = [this.jobs.length, this.outcomes.size, this.#running.size];
    return { found, done: ended - failed, before: this.before.size, failed, running, left: found - ended };
  }

  /** The seconds until the end, by the bytes done since the beginning; `undefined` before the first recording has ended. */
  get secondsLeft(): number | undefined {
    if (this.#bytesDone === 0) return undefined;
    return (((this.now() - this.#begin) / 1000) * this.#bytesLeft) / this.#bytesDone;
  }

  /** One line for people: "12 of 500 done, 1 failed, 487 left, about 4 min to go". */
  get line(): string {
    const { found, done, failed, left } = this.counts;
    const seconds = this.secondsLeft;
    const togo = left > 0 && seconds !== undefined ? `, about ${spanOf(seconds)} to go` : "";
    return `${done} of ${found} done, ${failed} failed, ${left} left${togo}`;
  }
}

/** An empty file takes time, too. */
const weightOf = ({ bytes }: Job) => bytes + 2 ** 16;

function spanOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
