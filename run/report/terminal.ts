import { Help } from "commander";
import { plain, plainLines } from "../../core/check.ts";
import type { RunListener } from "../request.ts";
import { type Interrupt, noteProgress } from "./interrupt.ts";

/**
 * The notes below a command's options, wrapped as the options are: at the terminal's width, or at 80 columns. A line that ends a sentence
 * ends a paragraph; lines that begin with a space stay as they are.
 */
export const notes = (text: string) => () => {
  const paragraphs: string[] = [];
  for (const line of text.split("\n")) {
    const last = paragraphs.at(-1) ?? "";
    const goesOn = /^\S.*[^.:]$/.test(last) && /^\S/.test(line);
    if (goesOn) paragraphs.push(`${paragraphs.pop()} ${line}`);
    else paragraphs.push(line);
  }
  return new Help().boxWrap(paragraphs.join("\n"), (process.stdout.isTTY && process.stdout.columns) || 80);
};

/** A line of progress on standard error, written over and over; silent where standard error is no terminal. */
export class Progress {
  readonly #begin = performance.now();
  #shown = 0;
  #width = 0;

  constructor(readonly stream: NodeJS.WriteStream = process.stderr) {}

  show(done: number, of: number): void {
    noteProgress(done, of);
    const now = performance.now();
    if (!this.stream.isTTY || (now - this.#shown < 100 && done < of)) return;
    this.#shown = now;
    const perSecond = (done * 1000) / (now - this.#begin);
    const total = Number.isFinite(of) ? `/${of}` : "";
    this.note(`${barOf(done / of)}${done}${total} frames, ${perSecond.toFixed(1)} per second`);
  }

  /** Shows a line of other progress on a terminal. */
  note(line: string): void {
    if (!this.stream.isTTY) return;
    this.stream.write(`\r${line.padEnd(this.#width)}`);
    this.#width = line.length;
  }

  /** Writes one or more lines above the progress. Names in them come from files, so characters that a terminal would obey are replaced. */
  log(line: string): void {
    this.clear();
    this.stream.write(`${plainLines(line)}\n`);
  }

  clear(): void {
    if (this.#width > 0) this.stream.write(`\r${" ".repeat(this.#width)}\r`);
    this.#width = 0;
  }
}

const BAR = 24;

/** Draws "[######------] "; empty where the total is unknown. */
function barOf(share: number): string {
  if (!(share > 0)) return "";
  const full = Math.round(Math.min(1, share) * BAR);
  return `[${"#".repeat(full)}${"-".repeat(BAR - full)}] `;
}

/** Writes a line to standard error. Names in it may come from files: see `plainLines`. */
export const say = (line: string): void => void process.stderr.write(`${plainLines(line)}\n`);

/** Formats names and values, a line each. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${plain(name).padEnd(width)}  ${plain(value)}\n`).join("");
}

/** Writes to standard output no faster than its reader takes it. */
export async function print(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (!process.stdout.write(piece)) await new Promise<void>((resolve) => process.stdout.once("drain", resolve));
  }
}

/** The flags for the options that decide about a run's own choices. */
export const NOTED = { noise: "--noise off keeps the defaults" } as const;

/** Tells a run's warnings, notes and progress to the terminal, and stops the run at an interruption. */
export const listenerOf = (progress: Progress, interrupt: Interrupt): RunListener => ({
  warn: (line) => progress.log(`warning: ${plain(line)}`),
  note: (line, option) => progress.log(`note: ${plain(line)}${option ? ` (${NOTED[option]})` : ""}`),
  progress(done, of) {
    progress.show(done, of);
  },
  stop: interrupt.signal,
});
