import type { Pipeline } from "../../../pipeline/index.ts";

/**
 * Suspends the governor while there is time for a picture of full quality: while the picture rests, and while somebody saves it. Afterwards
 * the governor goes on from the quality that it had come to.
 */
export class FullQuality {
  #rests = false;
  #users = 0;

  constructor(readonly governor: Pick<Pipeline["governor"], "suspended" | "snapshot">) {}

  /** Whether the governor has the picture made with less quality than is set. */
  get isLowered(): boolean {
    return this.governor.snapshot().givenUp.length > 0;
  }

  /** Whether nothing on the picture changes. */
  get rests(): boolean {
    return this.#rests;
  }

  set rests(rests: boolean) {
    if (rests === this.#rests) return;
    this.#rests = rests;
    this.#suspend();
  }

  /** Keeps the full quality until `work` is over, however it ends. Pictures that are in the making already still have less. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#users++;
    this.#suspend();
    try {
      return await work();
    } finally {
      this.#users--;
      this.#suspend();
    }
  }

  #suspend(): void {
    this.governor.suspended = this.#rests || this.#users > 0;
  }
}
