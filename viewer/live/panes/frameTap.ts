import type { ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame } from "../../../sources/frame.ts";
import type { Snapshot } from "./snapshot.ts";

/** What the open panes need of a frame: nothing, what came from the source, or what the stages left of its depth, too. */
export type Need = "nothing" | "source" | "depth";

/** While the same frame is drawn again and again, for another view of it, it is read no more often, ms. */
const AGAIN_MS = 250;

/**
 * Takes frames from the stream for the panes, without ever holding it up: one copy at a time is on its way from the GPU, and
 * frames that come meanwhile are left out. `isBehind` says when the last of them was, so that it can be asked for again.
 */
export class FrameTap {
  #snapshot: Snapshot | undefined;
  /** Counts what was handed out. */
  #newest = 0;
  #taken = 0;
  #shown: DepthFrame | undefined;
  #reading = false;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly need: () => Need,
    readonly onSnapshot: (snapshot: Snapshot) => void,
    readonly now: () => number = () => performance.now(),
  ) {}

  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** What is there is older than what is on the screen, or lacks what is needed. */
  get isBehind(): boolean {
    const need = this.need();
    if (need === "nothing" || this.#newest === 0 || this.#reading) return false;
    return this.#taken < this.#newest || (need === "depth" && this.#snapshot?.filtered === undefined);
  }

  /** To be called synchronously with each frame that is handed out. */
  take(processed: ProcessedFrame): void {
    const again = processed.source === this.#shown;
    this.#shown = processed.source;
    const turn = ++this.#newest;
    const need = this.need();
    if (need === "nothing" || this.#reading) return;
    const { source: frame, shape } = processed;
    if (need === "source") {
      this.#give(turn, { frame, filtered: undefined, shape });
      return;
    }
    if (again && this.now() - this.#readMs < AGAIN_MS) return;
    this.#reading = true;
    this.#readMs = this.now();
    processed.readDepth().then(
      (filtered) => {
        this.#reading = false;
        this.#give(turn, { frame, filtered, shape });
      },
      // A newer frame was first, or the device is gone: the next one comes.
      () => {
        this.#reading = false;
      },
    );
  }

  /** Another source: nothing is known. */
  clear(): void {
    this.#snapshot = undefined;
    this.#shown = undefined;
    this.#taken = this.#newest;
  }

  #give(turn: number, snapshot: Snapshot): void {
    if (turn <= this.#taken) return;
    this.#taken = turn;
    this.#snapshot = snapshot;
    this.onSnapshot(snapshot);
  }
}
