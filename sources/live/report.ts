import { checkArgument, counted, having } from "../../core/check.ts";
/** The state of a live source. Frames lost on the way are gaps in `DepthFrame.index`, which the pipeline counts. */
export interface LiveReport {
  /** Whether there is a connection, one is being made again, or the source was closed. */
  readonly state: "connected" | "reconnecting" | "closed";
  /** The number of frames that arrived, whether shown or not. */
  readonly received: number;
  /** How many of these were not handed over, because a newer frame came before they were decoded or had come before them. */
  readonly passed: number;
  /** How many of those passed had an earlier time than a frame that came before them. */
  readonly overtaken: number;
  /** The number of messages that could not be read as frames. */
  readonly malformed: number;
  /** The error of the last such message, or why the connection or the camera was lost. */
  readonly problem: string | undefined;
  /** How many times the connection was lost and made again. */
  readonly reconnects: number;
  /** How many times nothing came for `STALL_MS` (1 s) although there was a connection. */
  readonly stalls: number;
  /** The present stall's length so far in ms; 0 if there is none. */
  readonly silentMs: number;
  /** The time in ms from capture to arrival of the latest frames that have time stamps; `null` if none has. */
  readonly latencyMs: {
    /** The median. */
    readonly p50: number;
    /** The 95th percentile. */
    readonly p95: number;
    /** The longest. */
    readonly max: number;
  } | null;
  /** The part of `latencyMs` from capture until the frame was sent: the camera's and its driver's; `null` where the sender does not say. */
  readonly cameraMs: LiveReport["latencyMs"];
  /** The part of `latencyMs` from sending to arrival; `null` where the sender does not say when it sent. */
  readonly wireMs: LiveReport["latencyMs"];
  /** How far in ms the sender's clock seems to be behind this machine's; 0 where the clocks agree. */
  readonly clockSkewMs: number;
}

/** A connection without a message for this long, in ms, has stalled. */
export const STALL_MS = 1000;
/**
 * After this many ms without a message the connection is made again, since no close event comes when the network has changed or
 * the server hangs. After each attempt that brings nothing the wait doubles, up to the longest: the camera may be unplugged for hours.
 */
const SILENCE_MS = 10_000;
const LONGEST_SILENCE_MS = 80_000;
export const patienceMs = (tries: number): number =>
  Math.min(LONGEST_SILENCE_MS, SILENCE_MS * 2 ** Math.min(tries, 10));
const KEPT = 512;
/** The window in ms over which clocks are compared: they drift, so an older quickest message says nothing about now. */
const COMPARED_MS = 30_000;
/** If clocks agree (one machine, or NTP), no message arrives before it was sent, and not every message arrives this late, ms. */
const AGREEING_MS = 500;
/** The resolution of `Date.now` in ms. */
const TICK_MS = 1;

/**
 * Measures how late messages are. A message is stamped by the sender's clock and its arrival by ours, so the difference is the latency plus
 * the difference of the clocks, and nothing separates the two. The smallest recent difference decides. Where the
 * smallest is from 0 to half a second, the clocks count as equal, and each message's difference is its latency. Otherwise the smallest
 * counts as the difference of the clocks, and a message's latency is how much longer it took than the quickest one.
 */
export class Lateness {
  readonly #last: number[] = [];
  /** The smallest difference in the present window, and in the one before. */
  #smallest = Infinity;
  #before = Infinity;
  #since = -Infinity;

  arrived(stampMs: number, nowMs: number): void {
    if (nowMs - this.#since > COMPARED_MS) {
      this.#before = this.#smallest;
      this.#smallest = Infinity;
      this.#since = nowMs;
    }
    const difference = nowMs - stampMs;
    this.#smallest = Math.min(this.#smallest, difference);
    this.#last.push(difference);
    if (this.#last.length > KEPT) this.#last.shift();
  }

  get skewMs(): number {
    const smallest = Math.min(this.#smallest, this.#before);
    return smallest === Infinity || (smallest > -TICK_MS && smallest <= AGREEING_MS) ? 0 : smallest;
  }

  get summary(): LiveReport["latencyMs"] {
    if (this.#last.length === 0) return null;
    const skew = this.skewMs;
    const sorted = this.#last.map((difference) => Math.max(0, difference - skew)).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1];
    return { p50: at(0.5), p95: at(0.95), max: at(1) };
  }
}

/**
 * Writes a report as a line for people: "connected, 30 frames, latency 4 ms (p95 9), 1 reconnect".
 *
 * @example
 * console.log(reportText(camera.report));
 */
export function reportText(report: LiveReport): string {
  checkArgument("reportText", "the report", having("a live source's report", "state", "received"), report);
  const { latencyMs, clockSkewMs, state, received, silentMs } = report;
  const skew = clockSkewMs === 0 ? "" : `, clocks ${(clockSkewMs / 1000).toFixed(1)} s apart`;
  const { cameraMs, wireMs } = report;
  const shares = cameraMs && wireMs ? `, camera ${cameraMs.p50.toFixed(0)}, wire ${wireMs.p50.toFixed(0)}` : "";
  const late = latencyMs
    ? [`latency ${latencyMs.p50.toFixed(0)} ms (p95 ${latencyMs.p95.toFixed(0)}${shares}${skew})`]
    : [];
  const rare = (["passed", "malformed", "reconnects", "stalls"] as const).filter((name) => report[name] > 0);
  const silent = silentMs > 0 ? [`none for ${Math.floor(silentMs / 1000)} s`] : [];
  const back = report.overtaken > 0 ? [`${report.overtaken} left out, whose times ran back`] : [];
  const counts = rare.map((name) => `${report[name]} ${name}`);
  return [state, counted(received, "frame"), ...silent, ...late, ...counts, ...back].join(", ");
}
