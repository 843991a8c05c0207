import type { FrameTiming } from "../frame.ts";

/** The clock and the stages that a row's times belong to. */
interface Columns {
  readonly clock: FrameTiming["clock"];
  readonly names: readonly string[];
}

/** A row starts with: its index in `#columns`, the time of submission, the frame's index, the total time. One time per stage follows. */
const HEAD = 4;

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
    /** The most frames that are kept. */
    readonly capacity = 2000,
  ) {}

  /** Adds a frame's times. `startMs` is the time of its submission, ms on the wall clock. */
  record(startMs: number, index: number, { clock, stages, totalMs }: FrameTiming): void {
    if (HEAD + stages.length > this.#width) this.#widen(HEAD + stages.length);
    const row = this.#row(this.#count++);
    row.set([this.#columnsOf(clock, stages), startMs, index, totalMs]);
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

  /** The newest frames that were timed, oldest first. */
  get frames(): readonly TracedFrame[] {
    const first = Math.max(0, this.#count - this.capacity);
    return Array.from({ length: this.#count - first }, (_, i) => {
      const [columns, startMs, index, totalMs, ...times] = this.#row(first + i);
      const { clock, names } = this.#columns[columns];
      return { startMs, index, timing: { clock, totalMs, stages: names.map((name, k) => ({ name, ms: times[k] })) } };
    });
  }

  /**
   * Makes the trace document. The GPU's clock and the wall clock have no common zero, so a frame starts where it was submitted and its
   * stages follow without gaps. Lengths are as measured; gaps between the stages of a frame are not shown.
   */
  toJSON(): TraceDocument {
    const { frames } = this;
    const first = frames[0]?.startMs ?? 0;
    const traceEvents: TraceEvent[] = [{ name: "process_name", ph: "M", pid: 1, tid: 0, args: { name: "depthloom" } }];
    for (const { startMs, index, timing } of frames) {
      const start = (startMs - first) * 1000;
      const tid = timing.clock === "gpu" ? 1 : 2;
      const common = { ph: "X", pid: 1, tid, cat: timing.clock } as const;
      traceEvents.push({ ...common, name: "frame", ts: start, dur: timing.totalMs * 1000, args: { index } });
      let at = start;
      for (const { name, ms } of timing.stages) {
        traceEvents.push({ ...common, name, ts: at, dur: ms * 1000, args: { index } });
        at += ms * 1000;
      }
    }
    return { displayTimeUnit: "ms", traceEvents };
  }
}

/** A frame whose stages were timed. */
export interface TracedFrame {
  /** When the frame was submitted, ms on the wall clock. */
  readonly startMs: number;
  /** The frame's position in its source. */
  readonly index: number;
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
  /** "X" is an event with a length, "M" gives a name to a process. */
  readonly ph: "X" | "M";
  /** The process. */
  readonly pid: number;
  /** The row that the event is shown in: 1 for the GPU's clock, 2 for the wall clock. */
  readonly tid: number;
  /** The clock. */
  readonly cat?: string;
  /** The begin, µs. */
  readonly ts?: number;
  /** The length, µs. */
  readonly dur?: number;
  /** What a viewer shows beside the event: the frame's index. */
  readonly args: Readonly<Record<string, string | number>>;
}
