import { type DepthFrame, isBlank } from "../../sources/frame.ts";
import type { ReplayListener } from "./request.ts";

/** What is to be said of the frames as they go by, each thing once; the rest is counted. */
export class Watch {
  /** Which time round it is, from 0. */
  round = 0;
  /** Frames that ran and had no valid pixel. */
  empty = 0;
  #last = -1;
  #told = 0;
  #faulty = false;

  constructor(
    readonly listener: Pick<ReplayListener, "warn">,
    /** The recording's own; they may come while it is read. */
    readonly warnings: readonly string[],
  ) {}

  /** Hands on the recording's warnings. */
  tell(): void {
    for (; this.#told < this.warnings.length; this.#told++) this.listener.warn(this.warnings[this.#told] ?? "");
  }

  /** A frame has come from the source; perhaps it is dropped. */
  arrived({ index, fault }: DepthFrame): void {
    if (!fault || this.#faulty) return;
    this.#faulty = true;
    this.listener.warn(`frame ${index} could not be read and is skipped, as will be others like it: ${fault.message}`);
  }

  /** A frame has been through the stages. */
  ran({ index, depth }: DepthFrame): void {
    if (index <= this.#last) this.round++;
    this.#last = index;
    if (isBlank(depth) && this.empty++ === 0) {
      this.listener.warn(`frame ${index} has no valid pixel; further ones like it are counted, not told`);
    }
    this.tell();
  }
}
