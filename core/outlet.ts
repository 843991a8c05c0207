import { Queue } from "./queue.ts";

/** How long `end` waits if it is in a hurry, ms. */
const CLOSE_MS = 1000;

/** A frame's work, and who hears whether it was taken. */
interface Offered {
  readonly work: () => Promise<void>;
  readonly done: (taken: boolean) => void;
}

/**
 * An output with a queue of its own, of up to `most` frames, so that an output that is slow or hangs holds up no other; frames left out are
 * counted.
 */
export class Outlet {
  /** Frames left out because the output was too slow. */
  leftOut = 0;
  /** The error with which a frame's work was rejected; later frames are left out. */
  failed: unknown;
  readonly #queue: Queue<Offered>;

  constructor(most: number) {
    this.#queue = new Queue(
      (offered) => this.#work(offered),
      (offered) => this.#leaveOut(offered),
      most,
    );
  }

  /**
   * Hands the output a frame: `work` begins when the frames before are done. Resolves when it is done, to `false` where the frame is left
   * out or its work was rejected.
   */
  offer(work: () => Promise<void>): Promise<boolean> {
    return new Promise((done) => this.#queue.offer({ work, done }));
  }

  /**
   * Resolves when everything offered is done and the output is closed. With `hurry` it resolves after a second at the latest, and leaves
   * out what still waits. Rejects with the error that a frame's work was rejected with.
   */
  async end(hurry: boolean, close: () => Promise<void>): Promise<void> {
    const idle = new Promise<void>((resolve) => this.#queue.whenIdle(resolve));
    const ended = idle.then(close);
    await (hurry ? inTime(ended) : ended);
    for (const offered of this.#queue.clear()) this.#leaveOut(offered);
    if (this.failed !== undefined) throw this.failed;
  }

  async #work({ work, done }: Offered): Promise<void> {
    if (this.failed === undefined)
      await work().catch((error) => {
        this.failed = error;
      });
    done(this.failed === undefined);
  }

  #leaveOut({ done }: Offered): void {
    this.leftOut++;
    done(false);
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
