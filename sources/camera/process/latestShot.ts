import { Queue } from "../../../core/queue.ts";
import type { Shot } from "../../live/driver.ts";

/** Sends a camera's newest frames and releases all: a slow reader misses frames, and the driver's memory is never held for long. */
export class LatestShot {
  readonly #newest = new Queue<Shot>(
    (shot) => this.#send(shot),
    (shot) => {
      shot.release();
      this.replaced++;
    },
  );
  #over = false;
  /** The number of frames that a newer one replaced. */
  replaced = 0;

  constructor(
    readonly send: (shot: Shot) => Promise<void>,
    /** Called with the first error of `send`; nothing is sent after it. */
    readonly onError: (error: unknown) => void,
  ) {}

  offer(shot: Shot): void {
    if (this.#over) shot.release();
    else this.#newest.offer(shot);
  }

  /** Releases the shot that waits; a shot that is being sent is released when it has been sent. */
  close(): void {
    this.#over = true;
    for (const shot of this.#newest.clear()) shot.release();
  }

  async #send(shot: Shot): Promise<void> {
    try {
      await this.send(shot);
    } catch (error) {
      this.close();
      this.onError(error);
    } finally {
      shot.release();
    }
  }
}
