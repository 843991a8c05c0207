/** The longest time that the end waits for an output that cannot be waited for, ms. */
const CLOSE_MS = 1000;

/**
 * An output with a backlog of its own, so that a slow or hung one holds up no other. While it is busy up to `most` frames wait; when one
 * more comes, all that wait are left out but the newest, and counted.
 */
export class Outlet {
  /** Frames left out because the output was too slow. */
  leftOut = 0;
  /** The error with which a frame's work was rejected; later frames are left out. */
  failed: unknown;
  #waiting: { readonly work: () => Promise<void>; readonly done: (taken: boolean) => void }[] = [];
  #running: Promise<void> | undefined;

  constructor(readonly most: number) {}

  /**
   * Hands the output a frame: `work` begins when the frames before are done. Resolves when it is done, to `false` where the frame is left
   * out or its work was rejected.
   */
  offer(work: () => Promise<void>): Promise<boolean> {
    if (this.#waiting.length >= this.most) this.#leaveOut();
    return new Promise((done) => {
      this.#waiting.push({ work, done });
      this.#running ??= this.#run();
    });
  }

  /**
   * Resolves when all that was offered is done and the output is closed; with `hurry` after a second at the latest: what waits then is left
   * out. Rejects with what a frame's work was rejected with.
   */
  async end(hurry: boolean, close: () => Promise<void>): Promise<void> {
    const ended = (async () => {
      await this.#running;
      await close();
    })();
    await (hurry ? inTime(ended) : ended);
    this.#leaveOut();
    if (this.failed !== undefined) throw this.failed;
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { work, done } = next;
      if (this.failed === undefined)
        await work().catch((error) => {
          this.failed = error;
        });
      done(this.failed === undefined);
    }
    this.#running = undefined;
  }

  #leaveOut(): void {
    this.leftOut += this.#waiting.length;
    for (const { done } of this.#waiting.splice(0)) done(false);
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
