import type { ProcessedFrame } from "../../../../pipeline/index.ts";
import type { Gauge, Origin, Shown } from "../../show/shown.ts";
import type { Snapshot } from "./snapshot.ts";

/** What the open panes need of a frame: nothing, what came from the source, or what the stages left of its depth, too. */
export type Need = "nothing" | "source" | "depth";

/**
 * Takes frames from the stream for the panes, without ever holding it up: one copy at a time is on its way from the GPU, and
 * frames that come meanwhile are left out. `isBehind` says when the last of them was, so that it can be asked for again.
 */
export class FrameTap {
  readonly #snapshot: Gauge<Snapshot>;
  #reading = false;

  /** `onSnapshot` is called with what is to be shown, and with nothing where that may no longer be shown. */
  constructor(
    readonly shown: Pick<Shown, "gauge" | "origin">,
    readonly need: () => Need,
    onSnapshot: (snapshot: Snapshot | undefined) => void,
  ) {
    this.#snapshot = shown.gauge("moment", onSnapshot);
  }

  get snapshot(): Snapshot | undefined {
    return this.#snapshot.value;
  }

  /** What is there is older than what is on the screen, or lacks what is needed. */
  get isBehind(): boolean {
    const { origin } = this.shown;
    return this.need() !== "nothing" && !this.#reading && origin !== undefined && !this.#has(origin);
  }

  /** To be called synchronously with each frame that is handed out. */
  take({ source: frame, shape, readDepth }: ProcessedFrame, origin: Origin): void {
    const need = this.need();
    if (need === "nothing" || this.#reading || this.#has(origin)) return;
    if (need === "source") {
      this.#snapshot.put(origin, { origin, frame, filtered: undefined, shape });
      return;
    }
    this.#reading = true;
    readDepth().then(
      (filtered) => {
        this.#reading = false;
        this.#snapshot.put(origin, { origin, frame, filtered, shape });
      },
      // A newer frame was first, or the device is gone: the next one comes.
      () => {
        this.#reading = false;
      },
    );
  }

  /** Whether what is needed of a frame is there: drawn again, for another view of it, it has the same depth. */
  #has(origin: Origin): boolean {
    const { snapshot } = this;
    return snapshot?.origin === origin && (this.need() === "source" || snapshot.filtered !== undefined);
  }
}
