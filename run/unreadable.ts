import { counted } from "../core/check.ts";
import type { DepthFrame } from "../core/frame.ts";
import { faultyFrame } from "../core/play.ts";
import type { Recording } from "../sources/index.ts";
import type { WriteOptions } from "../write/frames.ts";
import { describe } from "./report/failure.ts";

/** The part of a recording that is processed. */
export interface FrameRange {
  readonly start: number;
  readonly count: number;
}

/** Learns of each frame as it is read. */
export interface Watcher {
  see?(frame: DepthFrame): void;
  lost?(index: number, error: Error): void;
}

/**
 * A part of a recording, as a recording. A frame that cannot be read is reported to the watcher and has a `fault`. `read` rejects if the
 * reader was given up, which then rejects every read with the same error. A function gives the watcher of each read when the read begins.
 */
export function watchedPart<T extends Recording>(
  recording: T,
  { start, count }: FrameRange,
  watcher: Watcher | (() => Watcher) = {},
): T {
  const timestampOf = (i: number) => recording.timestampOf?.(start + i) ?? (1000 * (start + i)) / recording.fps;
  let before: DepthFrame | undefined;
  let last: unknown;
  return {
    ...recording,
    // Whoever opened the recording tells them.
    warnings: [],
    length: count,
    timestampOf,
    async read(i) {
      const index = start + i;
      const told = typeof watcher === "function" ? watcher() : watcher;
      try {
        const frame = await recording.read(index);
        told.see?.(frame);
        before = frame;
        return frame;
      } catch (error) {
        if (error === last || !(error instanceof Error)) throw error;
        last = error;
        told.lost?.(index, error);
        return faultyFrame(index, timestampOf(i), error, before);
      }
    },
  };
}

/** This many frames are named; those after them are counted. */
const NAMED = 20;

/** This many frames are told apart; later frames, in a stream that runs for days, are only counted. */
const MOST_KEPT = 1_000_000;

/** The frames of a run that could not be read: they are left out, and the run goes on. It then ends with a status that says so. */
export class Unreadable implements Watcher {
  readonly #frames = new Set<number>();
  first: Error | undefined;
  #more = 0;

  readonly lost = (index: number, error: Error): void => {
    this.first ??= error;
    if (this.#frames.size < MOST_KEPT) this.#frames.add(index);
    else this.#more += Number(!this.#frames.has(index));
  };

  get count(): number {
    return this.#frames.size + this.#more;
  }

  /** The options with which a writer goes on behind the `done` frames that it has written and the unreadable frames between them. */
  after<T extends WriteOptions>(options: T, done: number): T {
    const { start = 0, count = Infinity } = options;
    let passed = 0;
    for (const index of [...this.#frames].sort((a, b) => a - b)) if (index < start + done + passed) passed++;
    return { ...options, start: start + passed, count: count - passed, done };
  }

  /** One line about all; empty if every frame could be read. */
  get line(): string {
    if (!this.first) return "";
    const frames = [...this.#frames];
    const more = frames.length > NAMED ? ` and ${this.count - NAMED} more` : "";
    const which = `${frames.slice(0, NAMED).join(", ")}${more}`;
    return `${counted(this.count, "frame")} could not be read, left out: ${which}; the first: ${describe(this.first)}`;
  }
}
