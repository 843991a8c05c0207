/** Ends a measurement early: it was stopped, or its GPU was lost. */
export class Ending {
  readonly #controller = new AbortController();
  readonly #stop = () => this.#end("it was stopped by hand");
  #why: string | null = null;

  constructor(
    device: Pick<GPUDevice, "lost">,
    readonly signal: AbortSignal,
  ) {
    if (signal.aborted) this.#stop();
    signal.addEventListener("abort", this.#stop);
    void device.lost.then(({ message }) => {
      const [said] = message.split("\n");
      this.#end(
        `the GPU was lost${said ? ` (${said})` : ""}: measure again, with a smaller budget if it is lost again`,
      );
    });
  }

  /** Null as long as the measurement goes on. */
  get why(): string | null {
    return this.#why;
  }

  /**
   * Resolves as `work` does, but rejects at once when the measurement ends: work that waits for a slow or lost device is given up, and the
   * signal that it was given tells it.
   */
  async before<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    let onEnd = () => {};
    const ended = new Promise<never>((_, reject) => {
      onEnd = () => reject(signal.reason);
      signal.addEventListener("abort", onEnd);
    });
    const working = work(signal);
    try {
      return await Promise.race([working, ended]);
    } catch (error) {
      // Abandoned work fails later; its rejection is ignored.
      working.catch(() => {});
      // A call on a lost device can fail before the device reports its loss.
      if (this.#why === null) await new Promise((resolve) => setTimeout(resolve));
      throw error;
    } finally {
      signal.removeEventListener("abort", onEnd);
    }
  }

  destroy(): void {
    this.signal.removeEventListener("abort", this.#stop);
  }

  #end(why: string): void {
    this.#why ??= why;
    this.#controller.abort(new Error(why));
  }
}
