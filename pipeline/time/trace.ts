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

  constructor(readonly capacity = 2000) {}

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
  get frames(): readonly { readonly startMs: number; readonly index: number; readonly timing: FrameTiming }[] {
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
  toJSON(): { displayTimeUnit: "ms"; traceEvents: TraceEvent[] } {
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

/** An event of the trace format; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: "X" | "M";
  readonly pid: number;
  readonly tid: number;
  readonly cat?: string;
  readonly ts?: number;
  readonly dur?: number;
  readonly args: Readonly<Record<string, string | number>>;
}
