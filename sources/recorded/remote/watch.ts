/** The watch's interval in ms. */
const TICK_MS = 100;
const MIB = 2 ** 20;

/** The time and memory that a worker may take before it is ended. */
export interface Limits {
  /** The seconds without progress. */
  seconds: number;
  /** The megabytes beyond those in use when the question was asked. */
  readonly megabytes: number;
}

/**
 * Watches a worker while its answer is awaited. Time counts only as far as the watch's own timer ran: where the machine sleeps, the page is
 * hidden or its thread is busy, the worker may have been held up too, and its messages may lie unread.
 */
export class Watch {
  #timer: ReturnType<typeof setInterval> | undefined;
  #seenMs = 0;
  #idleMs = 0;
  #memoryBefore = 0;

  constructor(
    readonly limits: Limits,
    readonly memory: (() => number) | undefined,
    /** Is called once with the limit that was passed. */
    readonly passed: (limit: "time" | "memory") => void,
  ) {}

  /** Starts watching: an idle worker got a question. */
  begin(): void {
    this.#idleMs = 0;
    this.#seenMs = performance.now();
    this.#memoryBefore = this.memory?.() ?? 0;
    this.#timer = setInterval(() => this.#look(), TICK_MS);
  }

  /** Notes that the worker made progress. */
  progress(): void {
    this.#idleMs = 0;
  }

  /** Stops watching: no answer is awaited any more. */
  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    this.#idleMs += Math.min(now - this.#seenMs, 2 * TICK_MS);
    this.#seenMs = now;
    const { seconds, megabytes } = this.limits;
    if (this.#idleMs >= seconds * 1000) this.passed("time");
    else if (this.memory && this.memory() - this.#memoryBefore > megabytes * MIB) this.passed("memory");
  }
}
