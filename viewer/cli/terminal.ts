/** One line on standard error that is written over and over; silent where nobody watches. */
export class Progress {
  readonly #begin = performance.now();
  #shown = 0;
  #width = 0;

  constructor(readonly stream: NodeJS.WriteStream = process.stderr) {}

  show(done: number, of: number): void {
    const now = performance.now();
    if (!this.stream.isTTY || (now - this.#shown < 100 && done < of)) return;
    this.#shown = now;
    const perSecond = (done * 1000) / (now - this.#begin);
    const line = `${done}/${of} frames, ${perSecond.toFixed(1)} per second`;
    this.stream.write(`\r${line.padEnd(this.#width)}`);
    this.#width = line.length;
  }

  /** A line of its own, above the progress. */
  log(line: string): void {
    this.clear();
    this.stream.write(`${line}\n`);
  }

  clear(): void {
    if (this.#width > 0) this.stream.write(`\r${" ".repeat(this.#width)}\r`);
    this.#width = 0;
  }
}

/** Writes to standard output no faster than its reader takes it. */
export async function print(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (!process.stdout.write(piece)) await new Promise<void>((resolve) => process.stdout.once("drain", resolve));
  }
}

/** One Ctrl-C reaches us twice when npm hands its own on: what comes this soon after is the same one. */
const SAME_MS = 300;

/**
 * The first Ctrl-C (or SIGTERM) aborts the signal: finish what is begun, and stop. The second ends the process at once.
 * `release` gives the keys back; `status` is the exit status that the signal asks for.
 */
export function onInterrupt(): { readonly signal: AbortSignal; readonly status: number; release(): void } {
  const controller = new AbortController();
  let status = 0;
  let firstMs = 0;
  const handle = (_name: string, number: number) => {
    if (!controller.signal.aborted) {
      status = 128 + number;
      firstMs = performance.now();
      controller.abort();
    } else if (performance.now() - firstMs > SAME_MS) {
      process.exit(128 + number);
    }
  };
  process.on("SIGINT", handle).on("SIGTERM", handle);
  return {
    signal: controller.signal,
    get status() {
      return status;
    },
    release: () => process.off("SIGINT", handle).off("SIGTERM", handle),
  };
}
