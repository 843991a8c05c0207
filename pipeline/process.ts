import { Observable, type OperatorFunction, type Subscriber, type Subscription } from "rxjs";
import { checkOptions, OptionError } from "../sources/check.ts";
import { checkFrame } from "../sources/checkFrame.ts";
import type { DepthFrame } from "../sources/frame.ts";
import type { ProcessedFrame } from "./frame.ts";
import { processRules } from "./options.ts";
import type { Statistics } from "./time/statistics.ts";

/**
 * What happens when frames come faster than they are processed.
 * "latest" (live): the newest frame wins, those it replaces are counted as dropped.
 * "lossless" (replay): every frame, in order; the source is held back through `DepthFrame.waitUntil`.
 */
export type Policy = "latest" | "lossless";

export interface ProcessOptions {
  /** Called with each frame right before it goes through the stages: the last moment to set parameters for it. */
  readonly before?: (frame: DepthFrame) => void;
  /** Frames submitted and not yet done. 2, as if not given: one on the GPU, one behind it; 1 for what is shown to be as new as can be. */
  readonly inFlight?: number;
}

/** What a stream needs of a pipeline. */
export interface Processor {
  readonly statistics: Statistics;
  /** Aborted, with the error that then ends every stream, when the pipeline is destroyed or its device is lost. */
  readonly signal: AbortSignal;
  /** Marks that a stream is being processed. Throws if one is. */
  begin(): void;
  /** The stream is over. `free` gives the buffers back; without it the last frame stays readable. */
  end(free: boolean): void;
  /** Where the device is lost on the way, the frame that `again` gives then goes through another, from the beginning. */
  run(frame: DepthFrame, hold: ProcessedFrame["waitUntil"], again: () => DepthFrame): Promise<ProcessedFrame>;
  /** Resolves when everything submitted so far is done. */
  idle(): Promise<unknown>;
}

/** Makes the operator that takes a stream of frames through a pipeline. */
export function processFrames(
  processor: Processor,
  policy: Policy,
  options: ProcessOptions = {},
): OperatorFunction<DepthFrame, ProcessedFrame> {
  if (policy === undefined) throw new OptionError(`process: a policy is needed, ${processRules.policy.expects}`);
  checkOptions("process", { ...options, policy }, processRules);
  return (frames$) =>
    new Observable<ProcessedFrame>((subscriber) => {
      processor.begin();
      const edge = new Edge(processor, policy, options, subscriber);
      edge.open(frames$);
      return () => edge.close();
    });
}

/** A source that cannot wait may run ahead by this many frames before "lossless" gives up: nothing queues without bound. */
const MAX_WAITING = 8;

interface Waiting {
  readonly frame: DepthFrame;
  /** Tells the source that it need not be held back for this one any more. */
  taken(): void;
}

/**
 * One stream's edge: everything about order, waiting and dropping is here, and so is the count: what was shown,
 * what was dropped (by the source too, which shows as a gap in `index`) and what could not be read is what the source had.
 */
class Edge {
  readonly #waiting: Waiting[] = [];
  #lastIndex: number | undefined;
  /** How the source ended, to be passed on when the frames before it have been. */
  #end: (() => void) | undefined;
  #pumping = false;
  /** A frame is going through the stages. */
  #running = false;
  #ended = false;
  #source: Subscription | undefined;
  readonly #abort = () => this.#fail(this.processor.signal.reason);

  constructor(
    readonly processor: Processor,
    readonly policy: Policy,
    readonly options: ProcessOptions,
    readonly subscriber: Subscriber<ProcessedFrame>,
  ) {}

  open(frames$: Observable<DepthFrame>): void {
    this.processor.signal.addEventListener("abort", this.#abort);
    this.#source = frames$.subscribe({
      next: (frame) => {
        try {
          this.#arrive(frame);
        } catch (error) {
          this.#fail(error);
        }
        void this.#start();
      },
      error: (error) => this.#endWith(() => this.subscriber.error(error)),
      complete: () => this.#endWith(() => this.subscriber.complete()),
    });
  }

  #arrive(frame: DepthFrame): void {
    const { statistics } = this.processor;
    if (!(frame?.fault instanceof Error)) checkFrame(frame);
    const skipped = frame.jump || this.#lastIndex === undefined ? 0 : frame.index - this.#lastIndex - 1;
    statistics.dropped += Math.max(0, skipped);
    this.#lastIndex = frame.index;
    if (frame.fault) statistics.cannotRead(frame.index, frame.fault);
    else if (this.policy === "lossless") this.#queue(frame);
    else {
      statistics.dropped += this.#waiting.splice(0).length;
      this.#waiting.push({ frame, taken() {} });
    }
  }

  #queue(frame: DepthFrame): void {
    if (this.#waiting.length === MAX_WAITING) {
      this.processor.statistics.dropped++;
      const advice = `take "latest", or a source that honours waitUntil`;
      throw new Error(`lossless: ${MAX_WAITING} frames wait and the source does not; ${advice}`);
    }
    let taken = () => {};
    frame.waitUntil?.(
      new Promise<void>((resolve) => {
        taken = resolve;
      }),
    );
    this.#waiting.push({ frame, taken });
  }

  /** Has the frames that wait go through, unless they do already. */
  async #start(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      await this.#pump();
    } catch (error) {
      this.#fail(error);
    }
    this.#pumping = false;
    if (this.#waiting.length > 0) void this.#start();
    else this.#end?.();
  }

  async #pump(): Promise<void> {
    const { processor, subscriber } = this;
    const { inFlight: most = 2 } = this.options;
    const inFlight: Promise<unknown>[] = [];
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      // The consumer's own work on a frame (waitUntil) counts as in flight too, so it is bounded with the rest.
      const work: Promise<unknown>[] = [];
      const processed = await this.#run(next.frame, (promise) => work.push(promise));
      if (subscriber.closed) return;
      processor.statistics.frames++;
      subscriber.next(processed);
      inFlight.push(Promise.allSettled([processor.idle(), ...work]));
      if (inFlight.length >= most) await inFlight.shift();
      next.taken();
    }
    await Promise.all(inFlight);
  }

  async #run(first: DepthFrame, hold: ProcessedFrame["waitUntil"]): Promise<ProcessedFrame> {
    const { processor, policy, options } = this;
    let frame = first;
    this.#running = true;
    options.before?.(frame);
    const again = () => {
      // A live stream goes on with the newest.
      const newer = policy === "latest" ? this.#waiting.shift() : undefined;
      if (!newer) return frame;
      processor.statistics.dropped++;
      frame = newer.frame;
      options.before?.(frame);
      return frame;
    };
    const processed = await processor.run(frame, hold, again);
    this.#running = false;
    return processed;
  }

  #endWith(deliver: () => void): void {
    this.#end = () => this.#finish(deliver);
    if (!this.#pumping) this.#end();
  }

  #fail(error: unknown): void {
    this.#finish(() => this.subscriber.error(error));
  }

  #finish(deliver: () => void): void {
    this.#ended = true;
    deliver();
  }

  /** Whatever has ended it. What is on its way then is dropped, and a stream that nobody wants any more gives its buffers back. */
  close(): void {
    const { processor } = this;
    processor.signal.removeEventListener("abort", this.#abort);
    this.#source?.unsubscribe();
    processor.statistics.dropped += this.#waiting.length + (this.#running ? 1 : 0);
    for (const { taken } of this.#waiting.splice(0)) taken();
    processor.end(!this.#ended);
  }
}
