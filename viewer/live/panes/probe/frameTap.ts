import type { ProcessedFrame } from "../../../../pipeline/index.ts";
import type { Gauge, Origin, Shown } from "../../show/shown.ts";
import type { FrameNeed } from "../pane.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * Takes frames from the stream for the panes and never holds the stream up: one copy at a time is on its way from the GPU, and the tap
 * leaves out the frames that come meanwhile. `isBehind` says that it left out the frame that is on the screen, so that the page asks for
 * that frame again.
 */
export class FrameTap {
  readonly #snapshot: Gauge<Snapshot>;
  #reading = false;

  /** `onSnapshot` is called with each frame to show, and with `undefined` when that frame may no longer be shown. */
  constructor(
    readonly shown: Pick<Shown, "gauge" | "origin">,
    readonly need: () => FrameNeed,
    onSnapshot: (snapshot: Snapshot | undefined) => void,
  ) {
    this.#snapshot = shown.gauge("moment", onSnapshot);
  }

  get snapshot(): Snapshot | undefined {
    return this.#snapshot.value;
  }

  /** Whether the snapshot is older than the frame on the screen, or lacks what the open panes need. */
  get isBehind(): boolean {
    const { origin } = this.shown;
    return this.need() !== "nothing" && !this.#reading && origin !== undefined && !this.#has(origin);
  }

  /** Call this synchronously with each frame that is handed out. */
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
      // A newer frame was submitted before the copy, or the device is lost: a later frame takes this one's place.
      () => {
        this.#reading = false;
      },
    );
  }

  /** Whether the snapshot has what the panes need of this frame. A frame that is drawn again, seen from elsewhere, has the same depth. */
  #has(origin: Origin): boolean {
    const { snapshot } = this;
    return snapshot?.origin === origin && (this.need() === "source" || snapshot.filtered !== undefined);
  }
}
