import { type DepthFrame, isBlank } from "../../core/frame.ts";
import { describe } from "../report/failure.ts";
import type { RunListener } from "../request.ts";
import { Unreadable } from "../unreadable.ts";

/** Reports on the frames of a run: the first event of each kind, and later ones as a count. */
export class Watch {
  /** The number of the present round, from 0. */
  round = 0;
  /** The number of processed frames without a valid pixel. */
  empty = 0;
  #last = -1;
  #warned = 0;
  readonly unreadable = new Unreadable();
  /** The size of the first frame. */
  #size: string | undefined;
  #hasToldSize = false;

  constructor(
    readonly listener: Pick<RunListener, "warn">,
    /** Returns the source's own warnings; reading may append to them. */
    readonly warnings: () => readonly string[],
  ) {}

  /** Names the frames that could not be read, where there is more to say than was said of the first. */
  end(): void {
    this.tell();
    if (this.unreadable.count > 1) this.listener.warn(this.unreadable.line);
  }

  /** Reports the recording's new warnings. */
  tell(): void {
    for (const line of this.warnings().slice(this.#warned)) {
      this.#warned++;
      this.listener.warn(line);
    }
  }

  /** Call it for each frame of the source, including frames dropped later. */
  arrived({ index, fault }: DepthFrame): void {
    if (!fault) return;
    if (this.unreadable.count === 0)
      this.listener.warn(`frame ${index} could not be read and is left out: ${describe(fault)}`);
    this.unreadable.lost(index, fault);
  }

  /** Call it for each frame that the stages have processed. */
  ran({ index, depth, pair }: DepthFrame): void {
    const size = `${depth.shape[1]}×${depth.shape[0]}`;
    this.#size ??= size;
    if (!this.#hasToldSize && size !== this.#size) {
      this.#hasToldSize = true;
      this.listener.warn(
        `frame ${index} is ${size}, those before it ${this.#size}; the stages begin anew at each change of size`,
      );
    }
    if (index <= this.#last) this.round++;
    this.#last = index;
    // A frame with a pair of images may get its depth from the stage stereo.
    if (!pair && isBlank(depth) && this.empty++ === 0) {
      this.listener.warn(`frame ${index} has no valid pixel; later ones are only counted`);
    }
    this.tell();
  }
}
