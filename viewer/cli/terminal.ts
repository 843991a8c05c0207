import { constants } from "node:os";
import { plain } from "../../sources/check.ts";

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
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}\n`).join("");
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
  /** Something was done: whoever finishes what is begun is given time for the next thing. */
  alive(): void;
  /** Gives the keys back: from then on a Ctrl-C ends the process, even one that is stuck. */
  release(): Promise<void>;
}

/** So long one thing may take after a Ctrl-C, ms. What takes longer, a frame of minutes perhaps, is given up. */
const GRACE_MS = 1800;

/**
 * The first Ctrl-C (or SIGTERM) aborts the signal: finish what is begun, and stop. The second ends the process at once, and so
 * does `GRACE_MS` in which nothing gets done. Files are whole in any case.
 */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  let status = 0;
  let firstMs = 0;
  let grace: NodeJS.Timeout | undefined;
  const alive = () => {
    clearTimeout(grace);
    if (controller.signal.aborted) grace = setTimeout(giveUp, GRACE_MS);
  };
  const giveUp = () => {
    process.stderr.write("depthloom: interrupted; what was in work took too long, and is given up\n");
    process.exit(status);
  };
  const handle = (name: NodeJS.Signals) => {
    if (!controller.signal.aborted) {
      status = 128 + constants.signals[name];
      firstMs = performance.now();
      controller.abort();
      alive();
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
    alive,
    async release() {
      clearTimeout(grace);
      const left = firstMs + SAME_MS - performance.now();
      if (controller.signal.aborted && left > 0) await new Promise((resolve) => setTimeout(resolve, left));
      process.off("SIGINT", handle).off("SIGTERM", handle);
    },
  };
}
