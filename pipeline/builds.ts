import type { Statistics } from "./time/statistics.ts";

/** Decides which stages the statistics' times belong to: a time that was measured before a build belongs to other stages. */
export class Builds {
  #count = 0;
  /** The names of the stages that were built last. */
  #names = "";
  /** Whether a redraw has rebuilt the stages since the times were measured. */
  #outdated = false;

  /**
   * Stages were built, for a new frame or a redraw. Discards the times, except after a redraw of the same stages: redraws are not timed, so
   * that these times stay readable while nothing plays.
   */
  built(names: string, isRedraw: boolean, statistics: Statistics): void {
    this.#count++;
    this.#outdated = isRedraw && names === this.#names;
    this.#names = names;
    if (!this.#outdated) statistics.reset();
  }

  /**
   * Begins a new frame: discards the times that a redraw kept. Returns a function that tells, once the frame's times are known, whether
   * they still count: they do not if stages were built, or the statistics reset, in between.
   */
  begin(statistics: Statistics): () => boolean {
    if (this.#outdated) statistics.reset();
    this.#outdated = false;
    const [builds, restarts] = [this.#count, statistics.restarts];
    return () => builds === this.#count && restarts === statistics.restarts;
  }
}
