import type { FrameTiming } from "../frame.ts";

/** The clock and the stages that a row's times belong to. */
interface Columns {
  readonly clock: FrameTiming["clock"];
  readonly names: readonly string[];
}

/**
 * A row starts with: its index in `#columns`, the time when the frame was taken, the frame's index, the stages' total time, those of
 * preparing, upload and waiting, and how many frames had been dropped by then. One time per stage follows.
 */
const HEAD = 8;

/** The rows that events are shown in. */
const ROWS = { gpu: 1, wall: 2, way: 3 } as const;
const ROW_NAMES = {
  gpu: "stages (GPU clock)",
  wall: "stages (wall clock)",
  way: "prepare, upload and queue wait",
} as const;

/** The times of a frame other than those of its stages; ms on the wall clock. */
export interface FrameWay {
  /** The time when the frame was taken. */
  readonly startMs: number;
  /** The time from taking the frame until its upload, in which the filters are set by the noise and changed stages are rebuilt. */
  readonly prepareMs: number;
  /** The time that the frame's upload took. */
  readonly uploadMs: number;
  /** The time until the frame was done in which no stage worked on it. */
  readonly waitMs: number;
  /** The frame's position in its source. */
  readonly index: number;
  /** How many frames had been dropped by then. */
  readonly dropped: number;
}

/**
 * Keeps the times of the newest frames for export in the Chrome trace format (for Perfetto and chrome://tracing). All rows lie in one block
 * of memory: rows kept as objects would make a page's memory grow for minutes.
 */
export class Trace {
  #block = new Float64Array();
  #width = 0;
  #count = 0;
  readonly #columns: Columns[] = [];

  constructor(
    /** The time that a frame may take, ms. */
    readonly budgetMs: number,
    /** The most frames that are kept. */
    readonly capacity = 2000,
  ) {}

  /** Adds a frame's times. */
  record({ startMs, prepareMs, uploadMs, waitMs, index, dropped }: FrameWay, timing: FrameTiming): void {
    const { clock, stages, totalMs } = timing;
    if (HEAD + stages.length > this.#width) this.#widen(HEAD + stages.length);
    const row = this.#row(this.#count++);
    row.set([this.#columnsOf(clock, stages), startMs, index, totalMs, prepareMs, uploadMs, waitMs, dropped]);
    for (const [i, { ms }] of stages.entries()) row[HEAD + i] = ms;
  }

  /** Discards all rows. */
  clear(): void {
    this.#count = 0;
  }

  #row(number: number): Float64Array {
    const at = (number % this.capacity) * this.#width;
    return this.#block.subarray(at, at + this.#width);
  }

  #widen(width: number): void {
    const wider = new Float64Array(this.capacity * width);
    const rows = Math.min(this.#count, this.capacity);
    for (let i = 0; i < rows; i++) wider.set(this.#row(i), i * width);
    [this.#block, this.#width] = [wider, width];
  }

  #columnsOf(clock: Columns["clock"], stages: FrameTiming["stages"]): number {
    const known = this.#columns.findIndex(
      ({ clock: its, names }) =>
        its === clock && names.length === stages.length && stages.every(({ name }, i) => name === names[i]),
    );
    return known >= 0 ? known : this.#columns.push({ clock, names: stages.map(({ name }) => name) }) - 1;
  }

  /** How many frames were timed since the rows were discarded. */
  get count(): number {
    return this.#count;
  }

  /** The newest frames that were timed, oldest first. */
  get frames(): readonly TracedFrame[] {
    return this.newest(this.capacity);
  }

  /** The newest frames that were timed, at most `most` of them, oldest first. */
  newest(most: number): readonly TracedFrame[] {
    const first = Math.max(0, this.#count - Math.min(most, this.capacity));
    return Array.from({ length: this.#count - first }, (_, i) => {
      const [columns, startMs, index, totalMs, prepareMs, uploadMs, waitMs, dropped, ...times] = this.#row(first + i);
      const { clock, names } = this.#columns[columns];
      const timing = { clock, totalMs, stages: names.map((name, k) => ({ name, ms: times[k] })) };
      return { startMs, prepareMs, uploadMs, waitMs, dropped, index, timing };
    });
  }

  /**
   * Makes the trace document. The GPU's clock and the wall clock have no common zero, so a frame's preparing begins when it was taken, and
   * upload, waiting and the stages follow without gaps. Lengths are as measured; where between the stages a frame waited is not known.
   * Marks tell frames over the budget, and frames that were dropped since the frame before.
   */
  toJSON(): TraceDocument {
    const { frames } = this;
    const first = frames[0]?.startMs ?? 0;
    const name = (name: string, tid: number, value: string): TraceEvent => ({
      name,
      ph: "M",
      pid: 1,
      tid,
      args: { name: value },
    });
    const traceEvents: TraceEvent[] = [name("process_name", 0, "depthloom")];
    const rows = new Set<keyof typeof ROWS>(frames.length > 0 ? ["way"] : []);
    for (const { timing } of frames) rows.add(timing.clock);
    for (const row of rows) traceEvents.push(name("thread_name", ROWS[row], ROW_NAMES[row]));
    let droppedBefore = frames[0]?.dropped ?? 0;
    for (const { startMs, prepareMs, uploadMs, waitMs, dropped, index, timing } of frames) {
      const args = { index };
      let at = startMs - first;
      const span = (name: string, ms: number, row: keyof typeof ROWS) =>
        traceEvents.push({ name, ph: "X", pid: 1, tid: ROWS[row], cat: row, ts: micros(at), dur: micros(ms), args });
      const mark = (name: string, more: Readonly<Record<string, number>>) =>
        traceEvents.push({ name, ph: "i", s: "p", pid: 1, tid: ROWS.way, ts: micros(at), args: { ...args, ...more } });
      if (dropped > droppedBefore) mark("dropped", { frames: dropped - droppedBefore });
      droppedBefore = dropped;
      const tookMs = prepareMs + uploadMs + waitMs + timing.totalMs;
      if (tookMs > this.budgetMs) mark("over budget", { ms: Number(tookMs.toFixed(3)) });
      for (const [part, ms] of [
        ["prepare", prepareMs] as const,
        ["upload", uploadMs] as const,
        ["queue wait", waitMs] as const,
      ]) {
        span(part, ms, "way");
        at += ms;
      }
      span("frame", timing.totalMs, timing.clock);
      for (const { name, ms } of timing.stages) {
        span(name, ms, timing.clock);
        at += ms;
      }
    }
    return { displayTimeUnit: "ms", traceEvents };
  }
}

/** Microseconds, to the nanosecond: further digits mean nothing. */
const micros = (ms: number): number => Math.round(ms * 1e6) / 1000;

/** A frame whose stages were timed. */
export interface TracedFrame extends FrameWay {
  /** The times of its stages. */
  readonly timing: FrameTiming;
}

/** A document in the Chrome trace format. */
export interface TraceDocument {
  /** The unit in which viewers show times. */
  readonly displayTimeUnit: "ms";
  /** The events, frame by frame. */
  readonly traceEvents: TraceEvent[];
}

/** An event of the Chrome trace format (Trace Event Format, Google). */
export interface TraceEvent {
  /** The event's name: a stage's, or "frame". */
  readonly name: string;
  /** "X" is an event with a length, "i" a mark, "M" gives a name to a process or a row. */
  readonly ph: "X" | "i" | "M";
  /** The process. */
  readonly pid: number;
  /** The row that the event is shown in: 1 for stages on the GPU's clock, 2 for those on the wall clock, 3 for upload and waiting. */
  readonly tid: number;
  /** The category, by which viewers filter events. */
  readonly cat?: string;
  /** "p": a mark is drawn over all rows. */
  readonly s?: "p";
  /** The begin, µs. */
  readonly ts?: number;
  /** The length, µs. */
  readonly dur?: number;
  /** The frame's index, which a viewer shows beside the event. */
  readonly args: Readonly<Record<string, string | number>>;
}
