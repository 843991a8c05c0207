/**
 * Items that wait for work on one at a time, in order. While one is in work, up to `most` wait; one more makes the queue give up all that
 * wait, and takes their place. So nothing grows without bound, slow work leaves out whole items, and the newest item always comes. All
 * frames wait and are dropped by this one rule. A reader that can hold its source back takes `most` Infinity.
 */
export class Queue<T> {
  readonly #waiting: T[] = [];
  readonly #whenIdle: (() => void)[] = [];
  #busy = false;

  constructor(
    /** Works on an item; must not reject. */
    readonly work: (item: T) => Promise<void>,
    /** Called with each item that is given up for a newer one. */
    readonly gaveUp: (item: T) => void = () => {},
    /** How many may wait. */
    public most = 1,
  ) {}

  /** The items that wait, oldest first. */
  get waiting(): readonly T[] {
    return this.#waiting;
  }

  /** The items that one more item makes the queue give up. */
  get givesUp(): readonly T[] {
    return this.#waiting.length >= this.most ? this.#waiting : [];
  }

  /** Takes an item. If no item is in work, work on this one begins before `offer` returns. */
  offer(item: T): void {
    if (this.#waiting.length >= this.most) for (const older of this.clear()) this.gaveUp(older);
    this.#waiting.push(item);
    if (!this.#busy) void this.#run();
  }

  /** Removes and returns the item that waited longest. */
  take(): T | undefined {
    return this.#waiting.shift();
  }

  /** Removes and returns all that wait; they do not count as given up. */
  clear(): T[] {
    return this.#waiting.splice(0);
  }

  /** Calls `then` once, as soon as nothing is in work and nothing waits. */
  whenIdle(then: () => void): void {
    if (this.#busy) this.#whenIdle.push(then);
    else then();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (let item = this.take(); item !== undefined; item = this.take()) await this.work(item);
    this.#busy = false;
    for (const then of this.#whenIdle.splice(0)) then();
  }
}
