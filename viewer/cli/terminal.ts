import { constants } from "node:os";

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
    const total = Number.isFinite(of) ? `/${of}` : "";
    const line = `${barOf(done / of)}${done}${total} frames, ${perSecond.toFixed(1)} per second`;
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

const BAR = 24;

/** "[######------] ", and nothing where there is no end to go to. */
function barOf(share: number): string {
  if (!(share > 0)) return "";
  const full = Math.round(Math.min(1, share) * BAR);
  return `[${"#".repeat(full)}${"-".repeat(BAR - full)}] `;
}

/** A name and what it is, a line each. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join("");
}

/** Writes to standard output no faster than its reader takes it. */
export async function print(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (!process.stdout.write(piece)) await new Promise<void>((resolve) => process.stdout.once("drain", resolve));
  }
}

/** One Ctrl-C reaches us twice when npm hands its own on: what comes this soon after is the same one. */
const SAME_MS = 300;

/** See `onInterrupt`. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** The exit status that the signal asks for; 0 while there was none. */
  readonly status: number;
  /** Gives the keys back: from then on a Ctrl-C ends the process, even one that is stuck. */
  release(): Promise<void>;
}

/** The first Ctrl-C (or SIGTERM) aborts the signal: finish what is begun, and stop. The second ends the process at once. */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  let status = 0;
  let firstMs = 0;
  const handle = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) {
      status = 128 + constants.signals[name];
      firstMs = performance.now();
      controller.abort();
    } else if (performance.now() - firstMs > SAME_MS) {
      process.exit(128 + constants.signals[name]);
    }
  };
  process.on("SIGINT", handle).on("SIGTERM", handle);
  return {
    signal: controller.signal,
    get status() {
      return status;
    },
    async release() {
      const left = firstMs + SAME_MS - performance.now();
      if (controller.signal.aborted && left > 0) await new Promise((resolve) => setTimeout(resolve, left));
      process.off("SIGINT", handle).off("SIGTERM", handle);
    },
  };
}
