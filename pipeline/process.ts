import { Observable, type OperatorFunction, type Subscriber, type Subscription } from "rxjs";
import { checkOptions, OptionError } from "../core/check.ts";
import { checkFrame } from "../core/checkFrame.ts";
import type { DepthFrame } from "../core/frame.ts";
import { Queue } from "../core/queue.ts";
import { OverrunError } from "./errors.ts";
import type { ProcessedFrame } from "./frame.ts";
import { processRules } from "./options.ts";
import type { Statistics } from "./time/statistics.ts";

/**
 * The treatment of frames that come faster than the pipeline processes them. "latest" (live): the newest frame replaces the one that
 * waits, and the replaced frame is counted as dropped. "lossless" (replay): every frame is processed, in order; the pipeline holds the
 * source back through `DepthFrame.waitUntil`.
 */
export type Policy = "latest" | "lossless";

/** The options of `Pipeline.process` beside the policy. */
export interface ProcessOptions {
  /** Called with each frame right before it runs through the stages: the last moment to set parameters for it. */
  readonly before?: (frame: DepthFrame) => void;
  /**
   * The frame whose range decides whether filters work in a finer unit than the source's. Default: a recording's frame 0, whichever frames
   * are played; of a stream the first frame that came.
   */
  readonly unitFrom?: DepthFrame | undefined;
  /** How many frames may be submitted and not yet finished. Default: 2, one on the GPU and one behind it. 1 gives the lowest latency. */
  readonly inFlight?: number;
}

/** The options of `Pipeline.frames`. */
export interface FramesOfOptions extends Omit<ProcessOptions, "inFlight"> {
  /** Default: "lossless" for a recording, "latest" for anything else. */
  readonly policy?: Policy;
  /** Aborting it ends the loop with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How a frame is taken. */
export interface Taking {
  /** Receives what the consumer passes to `waitUntil`. */
  readonly hold?: ProcessedFrame["waitUntil"];
  /** Asked after the device was lost: gives a newer frame to run on the next device, or `undefined` to run the same frame again. */
  readonly again?: () => DepthFrame | undefined;
  /** The frame does not wait for stages that are being rebuilt. */
  readonly flows?: boolean;
  /** The frame does not continue the frames before it, whatever it says itself. */
  readonly jumps?: boolean;
}

/** The parts of a pipeline that a stream uses. */
export interface Processor {
  readonly statistics: Statistics;
  /** Aborts when the pipeline is destroyed or its device is lost for good. Its reason is the error that then ends every stream. */
  readonly signal: AbortSignal;
  /** Begins a stream, whose source waits or not. Throws if one is being processed already. */
  begin(waits: boolean, options: ProcessOptions): void;
  /** Marks the stream as over. `free` frees the buffers; without it the last frame stays readable. */
  end(free: boolean): void;
  /** Suits the filters to a frame of the stream, calls `before`, and runs the frame. */
  take(frame: DepthFrame, how: Taking): Promise<ProcessedFrame>;
  /** Resolves when all work submitted so far is finished. */
  idle(): Promise<unknown>;
}

/** Makes the RxJS operator that takes a stream of frames through a pipeline. Throws an `OptionError` for invalid options. */
export function processFrames(
  processor: Processor,
  policy: Policy,
  options: ProcessOptions = {},
): OperatorFunction<DepthFrame, ProcessedFrame> {
  if (policy === undefined) throw new OptionError(`process: a policy is needed, ${processRules.policy.expects}`);
  checkOptions("process", { ...options, policy }, processRules);
  return (frames$) =>
    new Observable<ProcessedFrame>((subscriber) => {
      processor.begin(policy === "lossless", options);
      const edge = new Edge(processor, policy, options, subscriber);
      edge.open(frames$);
      return () => edge.close();
    });
}

/**
 * Under "lossless", the stream fails with an `OverrunError` when this many frames wait: a source that cannot wait must not queue without
 * bound.
 */
const MAX_WAITING = 8;

interface Waiting {
  readonly frame: DepthFrame;
  /** Whether the frame jumps, or takes the place of one that did. */
  readonly jumps: boolean;
  /** The value of `Statistics.restarts` when the frame arrived. A frame from before a restart of the statistics is not counted. */
  readonly restarts: number;
  /** Tells the source that it may deliver the next frame. */
  taken(): void;
}

/**
 * The edge of one stream: the place where a pipeline's frames wait, are dropped and counted. The frames that came out, the dropped frames
 * (those that the source skipped too: `index` has a gap there) and the unreadable frames add up to what the source had.
 */
class Edge {
  /** Under "lossless" the source waits, so nothing is given up. */
  readonly #queue: Queue<Waiting>;
  /** What was submitted and may not be finished yet. */
  readonly #inFlight: Promise<unknown>[] = [];
  #lastIndex: number | undefined;
  /** Whether a frame that jumped could not be read. */
  #jumped = false;
  /** The frame that is running through the stages. */
  #running: Waiting | undefined;
  /** The frame that was taken last from those that wait. */
  #inWork: Waiting | undefined;
  #ended = false;
  #source: Subscription | undefined;
  readonly #abort = () => this.#fail(this.processor.signal.reason);

  constructor(
    readonly processor: Processor,
    readonly policy: Policy,
    readonly options: ProcessOptions,
    readonly subscriber: Subscriber<ProcessedFrame>,
  ) {
    const most = policy === "latest" ? 1 : Infinity;
    this.#queue = new Queue(
      (next) => this.#take(next).catch((error) => this.#fail(error)),
      (older) => this.#drop(older),
      most,
    );
  }

  open(frames$: Observable<DepthFrame>): void {
    this.processor.signal.addEventListener("abort", this.#abort);
    this.#source = frames$.subscribe({
      next: (frame) => {
        try {
          this.#arrive(frame);
        } catch (error) {
          this.#fail(error);
        }
      },
      error: (error) => this.#endWith(() => this.subscriber.error(error)),
      complete: () => this.#endWith(() => this.subscriber.complete()),
    });
  }

  #arrive(frame: DepthFrame): void {
    const { statistics } = this.processor;
    const { restarts } = statistics;
    if (!(frame?.fault instanceof Error)) checkFrame(frame);
    const skipped = frame.jump || this.#lastIndex === undefined ? 0 : frame.index - this.#lastIndex - 1;
    this.#drop(statistics, Math.max(0, skipped));
    this.#lastIndex = frame.index;
    if (frame.fault) {
      statistics.cannotRead(frame.index, frame.fault);
      this.#jumped ||= frame.jump === true;
      return;
    }
    // The frame itself goes on, by which the consumer knows it.
    const jumps = this.#jumped || this.#queue.givesUp.some((waiting) => waiting.jumps) || frame.jump === true;
    this.#jumped = false;
    this.#queue.offer({ frame, jumps, restarts, taken: this.policy === "lossless" ? this.#held(frame) : () => {} });
  }

  /** Holds the frame's source back until the function that this returns is called. */
  #held(frame: DepthFrame): () => void {
    if (this.#queue.waiting.length === MAX_WAITING) {
      this.#drop(this.processor.statistics);
      const made = "an operator made new frames (spread the given one: { ...frame, depth }), or the source is live";
      const why = frame.waitUntil ? "its waitUntil does nothing" : `its frames have no waitUntil: ${made}`;
      throw new OverrunError(
        `lossless: ${MAX_WAITING} frames wait, and the source does not wait for them: ${why}. Or take the policy "latest"`,
      );
    }
    let taken = () => {};
    frame.waitUntil?.(
      new Promise<void>((resolve) => {
        taken = resolve;
      }),
    );
    return taken;
  }

  async #take(next: Waiting): Promise<void> {
    const { processor, subscriber } = this;
    // Work that the consumer passed to `waitUntil` counts as in flight too, so that it is bounded as well.
    const work: Promise<unknown>[] = [];
    this.#inWork = next;
    const processed = await this.#run(next, (promise) => work.push(promise));
    if (subscriber.closed) return;
    if (this.#counts(next)) processor.statistics.frames++;
    subscriber.next(processed);
    this.#inFlight.push(settled(processor.idle(), work));
    if (this.#inFlight.length >= (this.options.inFlight ?? 2)) await this.#inFlight.shift();
    next.taken();
    if (this.#queue.waiting.length === 0) await Promise.all(this.#inFlight.splice(0));
  }

  /** Whether the frame arrived since the statistics last restarted. */
  #counts({ restarts }: Pick<Waiting, "restarts">): boolean {
    return restarts === this.processor.statistics.restarts;
  }

  #drop(arrived: Pick<Waiting, "restarts">, frames = 1): void {
    if (this.#counts(arrived)) this.processor.statistics.dropped += frames;
  }

  async #run(first: Waiting, hold: ProcessedFrame["waitUntil"]): Promise<ProcessedFrame> {
    const { processor, policy } = this;
    this.#running = first;
    const again = () => {
      // A live stream goes on with the newest frame instead.
      const newer = policy === "latest" ? this.#queue.take() : undefined;
      if (newer) this.#drop(first);
      return newer?.frame;
    };
    const { frame, jumps } = first;
    const processed = await processor.take(frame, { hold, again, jumps, flows: policy === "latest" });
    this.#running = undefined;
    return processed;
  }

  #endWith(deliver: () => void): void {
    this.#queue.whenIdle(() => this.#finish(deliver));
  }

  #fail(error: unknown): void {
    this.#finish(() => this.subscriber.error(error));
  }

  #finish(deliver: () => void): void {
    this.#ended = true;
    deliver();
  }

  /** Ends the stream for whatever reason. Frames that wait or run count as dropped; if the subscriber left early, the buffers are freed. */
  close(): void {
    const { processor } = this;
    processor.signal.removeEventListener("abort", this.#abort);
    this.#source?.unsubscribe();
    // The source may go on for somebody else: nothing here holds its frames any longer.
    this.#inWork?.taken();
    if (this.#running) this.#drop(this.#running);
    for (const waiting of this.#queue.clear()) {
      this.#drop(waiting);
      waiting.taken();
    }
    processor.end(!this.#ended);
  }
}

/** Resolves when the GPU and the consumer's work with a frame are done; rejects with the first failure of that work. */
function settled(idle: Promise<unknown>, work: readonly Promise<unknown>[]): Promise<unknown> {
  const done = Promise.allSettled([...work, idle]).then((results) => {
    const failed = results.slice(0, -1).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  });
  // The stream awaits `done` only when another frame has been processed; until then a failure must not count as an unhandled rejection.
  done.catch(() => {});
  return done;
}
