import type { Shot } from "../driver.ts";

/**
 * Hands a camera's frames on, the newest first: while one is being sent, one waits, and a newer one takes its place. So a reader that is
 * slow misses whole frames, and the driver's memory is never held for long.
 */
export class Newest {
  #sending = false;
  #waiting: Shot | undefined;
  #over = false;
  /** The number of frames that a newer one replaced. */
  replaced = 0;

  constructor(
    readonly send: (shot: Shot) => Promise<void>,
    /** Called with the first error of `send`; nothing is sent after it. */
    readonly onError: (error: unknown) => void,
  ) {}

  offer(shot: Shot): void {
    if (this.#over) {
      shot.release();
      return;
    }
    if (this.#waiting) {
      this.#waiting.release();
      this.replaced++;
    }
    this.#waiting = shot;
    if (!this.#sending) void this.#run();
  }

  /** Releases what waits; what is being sent is released when it has been sent. */
  close(): void {
    this.#over = true;
    this.#waiting?.release();
    this.#waiting = undefined;
  }

  async #run(): Promise<void> {
    this.#sending = true;
    for (let shot = this.#waiting; shot; shot = this.#waiting) {
      this.#waiting = undefined;
      try {
        await this.send(shot);
      } catch (error) {
        this.close();
        this.onError(error);
      } finally {
        shot.release();
      }
    }
    this.#sending = false;
  }
}
