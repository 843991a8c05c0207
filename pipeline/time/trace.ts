import type { FrameTiming } from "../frame.ts";

/** Keeps the last frames' times for export in the Chrome trace format (opens in Perfetto and chrome://tracing). */
export class Trace {
  readonly #frames: { startMs: number; index: number; timing: FrameTiming }[] = [];

  constructor(readonly capacity = 2000) {}

  /** `startMs` is when the frame was submitted, wall clock. */
  record(startMs: number, index: number, timing: FrameTiming): void {
    if (this.#frames.length === this.capacity) this.#frames.shift();
    this.#frames.push({ startMs, index, timing });
  }

  /** The last frames that were timed, the newest last. */
  get frames(): readonly { readonly index: number; readonly timing: FrameTiming }[] {
    return this.#frames;
  }

  /**
   * The trace document. The GPU's clock and the wall clock have no common zero, so a frame starts where it was submitted
   * and its stages follow one another from there: lengths are as measured, gaps within a frame are not shown.
   */
  toJSON(): { displayTimeUnit: "ms"; traceEvents: TraceEvent[] } {
    const first = this.#frames[0]?.startMs ?? 0;
    const traceEvents: TraceEvent[] = [{ name: "process_name", ph: "M", pid: 1, tid: 0, args: { name: "depthloom" } }];
    for (const { startMs, index, timing } of this.#frames) {
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

/** Microseconds, as the format has them. */
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
