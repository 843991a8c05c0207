/** How a live source fares. Frames that were lost on the way here are gaps in `DepthFrame.index`, which the pipeline counts. */
export interface LiveReport {
  readonly state: "connected" | "reconnecting" | "closed";
  /** Frames that came, whatever became of them. */
  readonly received: number;
  /** Of those, the ones that a newer one had replaced before they were decoded, or that came later than a newer one. */
  readonly passed: number;
  /** Messages that were no frame, or none that can be read. */
  readonly malformed: number;
  /** What was wrong with the last of them. */
  readonly problem: string | undefined;
  /** How many times the connection was lost and found again. */
  readonly reconnects: number;
  /** How many times nothing came for `STALL_MS` although there was a connection. */
  readonly stalls: number;
  /** For how long nothing has come now, in ms, where that is a stall; else 0. */
  readonly silentMs: number;
  /** From capture to arrival, of the last frames whose stamps tell; `null` if there are none. */
  readonly latencyMs: { readonly p50: number; readonly p95: number; readonly max: number } | null;
  /** How far the sender's clock is taken to be behind ours. 0 where both are taken to agree. */
  readonly clockSkewMs: number;
}

/** Nothing for this long is a stall. */
export const STALL_MS = 1000;
/**
 * After so long without anything the connection is made anew: that finds a network that changed and a server that hangs, of which no
 * close is heard. Each time it finds nothing the next is twice as far off, up to the longest: the camera may be unplugged for hours.
 */
const SILENCE_MS = 10_000;
const LONGEST_SILENCE_MS = 80_000;
export const patienceMs = (tries: number): number =>
  Math.min(LONGEST_SILENCE_MS, SILENCE_MS * 2 ** Math.min(tries, 10));
const KEPT = 512;
/** Clocks are compared over this long: they drift, and what was the quickest message then says nothing now. */
const COMPARED_MS = 30_000;
/** Clocks on one machine, or held together by NTP, have no message arrive before it was sent, nor this late every time. */
const AGREEING_MS = 500;
/** Our clock counts whole milliseconds. */
const TICK_MS = 1;

/**
 * How late messages are. A message's stamp is on the sender's clock, its arrival on ours; the difference is the way's time and
 * the clocks' difference in one, and nothing tells them apart. So the smallest difference of late decides: from 0 to half a second
 * clocks are taken to agree, and the difference is the latency. Otherwise it is taken for the clocks', and latency is what a
 * message took longer than the quickest.
 */
export class Lateness {
  readonly #last: number[] = [];
  /** The smallest difference of the present window, and of the one before. */
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

/** A line for people: "connected, 30 frames, latency 4 ms (p95 9), 1 reconnect". */
export function reportText(report: LiveReport): string {
  const { latencyMs, clockSkewMs, state, received, silentMs } = report;
  const skew = clockSkewMs === 0 ? "" : `, clocks ${(clockSkewMs / 1000).toFixed(1)} s apart`;
  const late = latencyMs ? [`latency ${latencyMs.p50.toFixed(0)} ms (p95 ${latencyMs.p95.toFixed(0)}${skew})`] : [];
  const rare = (["passed", "malformed", "reconnects", "stalls"] as const).filter((name) => report[name] > 0);
  const silent = silentMs > 0 ? [`none for ${Math.floor(silentMs / 1000)} s`] : [];
  return [state, `${received} frames`, ...silent, ...late, ...rare.map((name) => `${report[name]} ${name}`)].join(", ");
}
