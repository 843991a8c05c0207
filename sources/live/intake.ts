import { Observable, type Subscriber } from "rxjs";
import { faultOf } from "../checkFrame.ts";
import { type DepthFrame, image } from "../frame.ts";
import { SourceError } from "../source.ts";
import { Lateness, type LiveReport, patienceMs, STALL_MS } from "./report.ts";

/** What is told of a frame before it is decoded. */
export interface Arrival {
  /** When it was captured, on the sender's clock, in ms; `undefined` where nothing says. */
  readonly stampMs?: number | undefined;
  /** The sender's own count, if it has one: what is missing in it was lost. */
  readonly number?: number | undefined;
  /** Throws, or rejects, what is wrong with it. */
  decode(): Decoded | Promise<Decoded>;
}

export type Decoded = Pick<DepthFrame, "depth" | "metresPerUnit" | "intrinsics" | "color">;

/** A stamp this much before the last one begins the recording again; less is a message that was overtaken. */
const AGAIN_MS = 1000;

/**
 * Where a live source's messages become frames, in order, with an index that has a gap for each one lost: by the sender's own
 * count, because it was overtaken, or because a newer one had come before it could be decoded. One is decoded at a time and one
 * waits, so that nothing queues; what is decoded is handed over, and the pipeline alone decides what it drops of that.
 */
export class Intake {
  readonly #lateness = new Lateness();
  readonly #counts = { received: 0, passed: 0, malformed: 0, reconnects: 0, stalls: 0 };
  #state: LiveReport["state"] = "connected";
  #problem: string | undefined;
  #observer: Subscriber<DepthFrame> | undefined;
  #index = -1;
  #jump = true;
  #number: number | undefined;
  #stampMs = -Infinity;
  #decoding = false;
  #waiting: (() => Promise<void>) | undefined;
  #stall: ReturnType<typeof setTimeout> | undefined;
  /** Since when nothing has come, once that is a stall. */
  #silentSince: number | undefined;
  /** How many times the connection was made anew for it. */
  #renewed = 0;

  /** `renew` is called where nothing has come for long, though there is a connection. */
  constructor(readonly renew: () => void = () => {}) {}

  /** `watch` is told whether somebody looks. One looks at a time. */
  frames(watch: (on: boolean) => void): Observable<DepthFrame> {
    return new Observable((observer) => {
      this.#observer?.complete();
      this.#observer = observer;
      this.#jump = true;
      this.#arm();
      watch(true);
      return () => {
        if (this.#observer !== observer) return;
        this.#observer = undefined;
        this.#waiting = undefined;
        clearTimeout(this.#stall);
        this.#silentSince = undefined;
        watch(false);
      };
    });
  }

  get watched(): boolean {
    return this.#observer !== undefined;
  }

  get report(): LiveReport {
    const { summary, skewMs } = this.#lateness;
    const silentMs = this.#silentSince === undefined ? 0 : Date.now() - this.#silentSince;
    const told = { state: this.#state, ...this.#counts, silentMs, problem: this.#problem };
    return { ...told, latencyMs: summary, clockSkewMs: skewMs };
  }

  /** The connection went, or came back. */
  set(state: LiveReport["state"]): void {
    if (state === "connected" && this.#state === "reconnecting") {
      this.#counts.reconnects++;
      this.#jump = true;
    }
    this.#state = state;
    this.#arm();
  }

  /** A message was none that can be read. */
  malformed(error: unknown): void {
    this.#counts.malformed++;
    this.#problem = error instanceof Error ? error.message : String(error);
  }

  /** Ends the stream. */
  end(error?: Error): void {
    this.#state = "closed";
    clearTimeout(this.#stall);
    if (error) this.#observer?.error(error);
    else this.#observer?.complete();
  }

  take({ stampMs, number, decode }: Arrival): void {
    if (!this.#observer) return;
    this.#counts.received++;
    this.#silentSince = undefined;
    this.#renewed = 0;
    this.#arm();
    const nowMs = Date.now();
    if (stampMs !== undefined) this.#lateness.arrived(stampMs, nowMs);
    const backMs = stampMs === undefined ? 0 : this.#stampMs - stampMs;
    const lost = number === undefined || this.#number === undefined ? 0 : number - this.#number - 1;
    this.#number = number;
    // The sender begins again.
    if (backMs > AGAIN_MS || lost < 0) this.#jump = true;
    else if (backMs > 0) {
      this.#index++;
      this.#counts.passed++;
      return;
    }
    this.#stampMs = stampMs ?? this.#stampMs;
    this.#index += 1 + (this.#jump ? 0 : lost);
    const about = { timestamp: stampMs ?? nowMs, index: this.#index, ...(this.#jump && { jump: true }) };
    this.#jump = false;
    if (this.#waiting) this.#counts.passed++;
    this.#waiting = async () => {
      let frame: DepthFrame;
      try {
        // What is there at once is handed over at once.
        const decoded = decode();
        frame = { ...(decoded instanceof Promise ? await decoded : decoded), ...about };
        const wrong = faultOf(frame);
        if (wrong) throw new SourceError(`a frame came that cannot be: ${wrong}`);
      } catch (error) {
        this.malformed(error);
        const fault = error instanceof Error ? error : new Error(String(error));
        frame = {
          depth: image(new Uint16Array(0), [0, 0]),
          metresPerUnit: 0.001,
          intrinsics: NOTHING,
          ...about,
          fault,
        };
      }
      this.#observer?.next(frame);
    };
    if (!this.#decoding) void this.#run();
  }

  async #run(): Promise<void> {
    this.#decoding = true;
    for (let next = this.#waiting; next; next = this.#waiting) {
      this.#waiting = undefined;
      await next();
    }
    this.#decoding = false;
  }

  /** Begins to wait for the next message. */
  #arm(): void {
    clearTimeout(this.#stall);
    if (!this.#observer || this.#state !== "connected") return;
    this.#stall = setTimeout(() => this.#stalled(), STALL_MS);
  }

  #stalled(): void {
    // A connection that was made anew, and brings nothing either, is the same stall.
    if (this.#silentSince === undefined) {
      this.#counts.stalls++;
      this.#silentSince = Date.now() - STALL_MS;
    }
    this.#stall = setTimeout(() => {
      this.#renewed++;
      this.renew();
    }, patienceMs(this.#renewed) - STALL_MS);
  }
}

const NOTHING = { fx: 1, fy: 1, cx: 0, cy: 0, width: 0, height: 0 };
