/**
 * Works on items one at a time. While an item is in work, only the newest other item waits; each that comes replaces the item that waited.
 * So nothing queues, and slow work leaves whole items out: the one rule by which sources that cannot wait skip frames.
 */
export class LatestOnly<T> {
  #busy = false;
  #waiting: T | undefined;
  #idle: Promise<void> = Promise.resolve();

  constructor(
    /** Works on an item; must not reject. */
    readonly work: (item: T) => Promise<void>,
    /** Called with an item that a newer one has replaced. */
    readonly replaced: (item: T) => void,
  ) {}

  /** The item that waits, if any. */
  get waiting(): T | undefined {
    return this.#waiting;
  }

  /** Resolves when nothing is in work and nothing waits. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  /** Takes an item. If none is in work, work on it begins before this returns. */
  offer(item: T): void {
    if (this.#waiting !== undefined) this.replaced(this.#waiting);
    this.#waiting = item;
    if (!this.#busy) this.#idle = this.#run();
  }

  /** Gives up the item that waits, and returns it. */
  clear(): T | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (let item = this.clear(); item !== undefined; item = this.clear()) await this.work(item);
    this.#busy = false;
  }
}
