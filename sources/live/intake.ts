import { Observable, type Subscriber, share } from "rxjs";
import { messageOf } from "../../core/caught.ts";
import { plain, short } from "../../core/check.ts";
import { faultOf } from "../../core/checkFrame.ts";
import { type DepthFrame, image } from "../../core/frame.ts";
import { Queue } from "../../core/queue.ts";
import { SourceError } from "../../core/source.ts";
import { withWay } from "../../core/way.ts";
import { Lateness, type LiveReport, patienceMs, STALL_MS } from "./report.ts";

/** A message that may become a frame, before it is decoded. */
export interface Arrival {
  /** The time of capture on the sender's clock in ms; `undefined` where the message has no stamp. */
  readonly stampMs?: number | undefined;
  /** When the sender sent it, on the sender's clock in ms: a camera's driver handed it over then. `undefined` where nobody says. */
  readonly sentMs?: number | undefined;
  /** The sender's own frame number, if it counts: missing numbers are lost frames. */
  readonly number?: number | undefined;
  /** Whether the sender says that the frame does not follow the one before. */
  readonly jump?: boolean;
  /** How many messages may be decoded at the same time, where workers or the browser decode them; 1 if not given. */
  readonly atOnce?: number | undefined;
  /** Decodes the message. Throws, or rejects with, an error that says what is wrong with it. */
  decode(): Decoded | Promise<Decoded>;
}

export type Decoded = Pick<
  DepthFrame,
  "depth" | "metresPerUnit" | "intrinsics" | "color" | "origin" | "metadata" | "infrared" | "pair"
>;

/** A message that waits to be decoded, and what is known of its frame. */
interface Waiting extends Pick<Arrival, "decode" | "atOnce"> {
  /** When the message arrived, in ms since 1970. */
  readonly fromMs: number;
  readonly about: Pick<DepthFrame, "timestamp" | "index" | "jump">;
}

/** The most characters kept of the error of the last unreadable message. */
const LONGEST_PROBLEM = 500;

/** A time stamp this much before the last one means that the sender began again; a smaller step back is a message that was overtaken. */
const AGAIN_MS = 1000;
/**
 * So do more messages than this in a row that all seem overtaken, and a frame number farther back: a recording that is played in a loop of
 * less than a second.
 */
const IN_A_ROW = 5;

/** A camera sends at most one frame in a ms, and a few that come at once: a frame number that leaps farther counts no frames. */
const AT_ONCE = 30;
const PER_MS = 1;

/**
 * Turns a live source's messages into frames, in order. The index of a frame leaves a gap for each lost frame: by the sender's own count,
 * because a message was overtaken, or because a newer one came before it could be decoded. One message is decoded at a time, or a few side
 * by side while the consumer wants more, and one waits, so nothing queues. Decoded frames are handed over; the pipeline alone decides which
 * of them to drop.
 */
export class Intake {
  #lateness = new Lateness();
  /** The two parts of the lateness: from capture to sending, and from sending to arrival. */
  #camera = new Lateness();
  #wire = new Lateness();
  /** When the newest message was sent, on the sender's clock. */
  #sentMs = Number.NEGATIVE_INFINITY;
  readonly #counts = { received: 0, passed: 0, overtaken: 0, malformed: 0, reconnects: 0, stalls: 0 };
  #state: LiveReport["state"] = "connected";
  #problem: string | undefined;
  #observer: Subscriber<DepthFrame> | undefined;
  #index = -1;
  #jump = true;
  #number: number | undefined;
  /** How many messages seemed overtaken since the last newer one. */
  #inRow = 0;
  /** When the message before came, in ms since 1970. */
  #cameMs = -Infinity;
  #stampMs = -Infinity;
  readonly #newest = new Queue<Waiting>(
    (waiting) => this.#begin(waiting),
    () => this.#counts.passed++,
  );
  /** The ends of the messages that are being decoded side by side, in order. */
  readonly #inWork: Promise<void>[] = [];
  #stall: ReturnType<typeof setTimeout> | undefined;
  /** The time in ms since when nothing has come, while that counts as a stall. */
  #silentSince: number | undefined;
  /** Set when the stream has ended, with the error that ended it. */
  #over: { readonly error: Error | undefined } | undefined;
  /** How many times the connection was renewed during the present silence. */
  #renewed = 0;

  constructor(
    /** Called where nothing has come for long although there is a connection. */
    readonly renew: () => void = () => {},
    /** Resolves when the consumer wants another frame. No frame is decoded until then. */
    readonly wanted: () => Promise<void> | undefined = () => undefined,
  ) {}

  /** The frames of the stream, the same for all who subscribe. `watch` gets true with the first of them, and false after the last. */
  frames(watch: (on: boolean) => void): Observable<DepthFrame> {
    return new Observable<DepthFrame>((observer) => {
      if (this.#over) return finish(observer, this.#over.error);
      this.#observer = observer;
      this.#jump = true;
      this.#arm();
      watch(true);
      return () => {
        this.#observer = undefined;
        this.#newest.clear();
        clearTimeout(this.#stall);
        this.#silentSince = undefined;
        watch(false);
      };
    }).pipe(share());
  }

  get watched(): boolean {
    return this.#observer !== undefined;
  }

  get report(): LiveReport {
    const { summary, skewMs } = this.#lateness;
    const silentMs = this.#silentSince === undefined ? 0 : Date.now() - this.#silentSince;
    const counts = { state: this.#state, ...this.#counts, silentMs, problem: this.#problem };
    return {
      ...counts,
      latencyMs: summary,
      cameraMs: this.#camera.summary,
      wireMs: this.#wire.summary,
      clockSkewMs: skewMs,
    };
  }

  /** Notes that the connection was lost or has come back. */
  set(state: LiveReport["state"]): void {
    if (state === "connected" && this.#state === "reconnecting") {
      this.#counts.reconnects++;
      this.#jump = true;
    }
    this.#state = state;
    this.#arm();
  }

  /** Notes that the sender lives: a frame has come, or the message that the picture stands still. */
  alive(): void {
    this.#silentSince = undefined;
    this.#renewed = 0;
    this.#arm();
  }

  /** Counts a message that cannot be read. */
  malformed(error: unknown): void {
    this.#counts.malformed++;
    this.problem(messageOf(error));
  }

  /** Keeps what went wrong last. */
  problem(text: string): void {
    // An error may quote the message, which may be of any length.
    this.#problem = plain(short(text, LONGEST_PROBLEM));
  }

  /** Ends the stream, with `error` if given. */
  end(error?: Error): void {
    this.#state = "closed";
    clearTimeout(this.#stall);
    this.#over ??= { error };
    if (this.#observer) finish(this.#observer, error);
  }

  take({ stampMs, sentMs, number, jump: jumps = false, atOnce, decode }: Arrival): void {
    if (!this.#observer) return;
    this.#counts.received++;
    this.alive();
    const nowMs = Date.now();
    const backMs = stampMs === undefined ? 0 : this.#stampMs - stampMs;
    const step = number === undefined || this.#number === undefined ? 1 : number - this.#number;
    const lost = Math.max(0, step - 1);
    this.#inRow = backMs > 0 ? this.#inRow + 1 : 0;
    // The sender began again, its count or its clock.
    const again =
      jumps ||
      backMs > AGAIN_MS ||
      this.#inRow > IN_A_ROW ||
      step < (backMs > 0 ? -IN_A_ROW : 0) ||
      lost > AT_ONCE + PER_MS * (nowMs - this.#cameMs);
    this.#number = again || step > 0 ? number : this.#number;
    this.#cameMs = nowMs;
    if (again) {
      this.#jump = true;
      this.#inRow = 0;
      if (backMs > 0) [this.#lateness, this.#camera] = [new Lateness(), new Lateness()];
    }
    if (stampMs !== undefined) this.#lateness.arrived(stampMs, nowMs);
    if (sentMs !== undefined) {
      // The sender's clock was set back. A recording that the sender plays again leaves it as it is.
      if (this.#sentMs - sentMs > AGAIN_MS) this.#wire = new Lateness();
      this.#sentMs = sentMs;
      this.#wire.arrived(sentMs, nowMs);
    }
    if (stampMs !== undefined && sentMs !== undefined) this.#camera.arrived(stampMs, sentMs);
    if (backMs > 0 && !again) {
      // A message with a smaller number has left its gap already.
      this.#index += Math.max(0, step);
      this.#counts.passed++;
      this.#counts.overtaken++;
      return;
    }
    this.#stampMs = stampMs ?? this.#stampMs;
    this.#index += 1 + (this.#jump ? 0 : lost);
    // A frame that takes the place of a frame that jumped does not continue the frames before the jump, either.
    const jump = this.#jump || this.#newest.waiting[0]?.about.jump === true;
    this.#jump = false;
    const about = { timestamp: stampMs ?? nowMs, index: this.#index, ...(jump && { jump: true }) };
    this.#newest.offer({ decode, atOnce, about, fromMs: nowMs });
  }

  /** Resolves when the next message may be decoded. */
  #begin(waiting: Waiting): Promise<void> {
    const { atOnce = 1 } = waiting;
    const handed = this.#hand(waiting, this.#inWork.at(-1));
    return atOnce > 1 ? this.#besideOthers(handed, atOnce) : handed;
  }

  async #besideOthers(handed: Promise<void>, atOnce: number): Promise<void> {
    this.#inWork.push(handed);
    void handed.then(() => this.#inWork.shift());
    while (this.#inWork.length >= atOnce || (this.#inWork.length > 0 && this.wanted())) await this.#inWork[0];
  }

  async #hand({ decode, about, fromMs }: Waiting, before: Promise<void> | undefined): Promise<void> {
    let frame: DepthFrame;
    const startMs = performance.now();
    try {
      // A frame that is decoded without waiting is handed over without waiting.
      const decoded = decode();
      frame = { ...(decoded instanceof Promise ? await decoded : decoded), ...about };
      const wrong = faultOf(frame);
      if (wrong) throw new SourceError(`a frame makes no sense: ${wrong}`);
    } catch (error) {
      this.malformed(error);
      const fault = error instanceof Error ? error : new Error(String(error));
      frame = { depth: image(new Uint16Array(0), [0, 0]), metresPerUnit: 0.001, intrinsics: NOTHING, ...about, fault };
    }
    const decodeMs = performance.now() - startMs;
    if (before) await before;
    this.#observer?.next(withWay(frame, { fromMs, decodeMs }));
    const wanted = this.wanted();
    if (wanted) await wanted;
  }

  /** Starts the timer that notices a stall: it runs until the next message. */
  #arm(): void {
    clearTimeout(this.#stall);
    if (!this.#observer || this.#state !== "connected") return;
    this.#stall = setTimeout(() => this.#stalled(), STALL_MS);
  }

  #stalled(): void {
    // A renewed connection that brings nothing either belongs to the same stall.
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

function finish(observer: Subscriber<DepthFrame>, error: Error | undefined): void {
  if (error) observer.error(error);
  else observer.complete();
}

const NOTHING = { fx: 1, fy: 1, cx: 0, cy: 0, width: 0, height: 0 };
