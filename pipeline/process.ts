import { Observable, type OperatorFunction } from "rxjs";
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

/** A source that cannot wait may run ahead by this many frames before "lossless" gives up: nothing queues without bound. */
const MAX_WAITING = 8;

/**
 * The stream's whole edge: everything about order, waiting and dropping is in this file, and so is the count: what was shown,
 * what was dropped (by the source too, which shows as a gap in `index`) and what could not be read is what the source had.
 */
export function processFrames(
  processor: Processor,
  policy: Policy,
  options: ProcessOptions = {},
): OperatorFunction<DepthFrame, ProcessedFrame> {
  if (policy === undefined) throw new OptionError(`process: a policy is needed, ${processRules.policy.expects}`);
  checkOptions("process", { ...options, policy }, processRules);
  const { before = () => {}, inFlight: most = 2 } = options;
  return (frames$) =>
    new Observable<ProcessedFrame>((subscriber) => {
      processor.begin();
      const { statistics, signal } = processor;
      const waiting: { frame: DepthFrame; taken: () => void }[] = [];
      let lastIndex: number | undefined;
      /** How the source ended, to be passed on when the frames before it have been. */
      let end: (() => void) | undefined;
      let pumping = false;
      /** A frame is going through the stages. */
      let running = false;
      let ended = false;

      const finish = (deliver: () => void) => {
        ended = true;
        deliver();
      };
      const fail = (error: unknown) => finish(() => subscriber.error(error));

      const arrive = (frame: DepthFrame) => {
        if (!(frame?.fault instanceof Error)) checkFrame(frame);
        const skipped = frame.jump || lastIndex === undefined ? 0 : frame.index - lastIndex - 1;
        statistics.dropped += Math.max(0, skipped);
        lastIndex = frame.index;
        if (frame.fault) return statistics.cannotRead(frame.index, frame.fault);
        if (policy === "latest") {
          statistics.dropped += waiting.length;
          waiting.length = 0;
          waiting.push({ frame, taken() {} });
          return;
        }
        if (waiting.length === MAX_WAITING) {
          statistics.dropped++;
          const advice = `take "latest", or a source that honours waitUntil`;
          throw new Error(`lossless: ${MAX_WAITING} frames wait and the source does not; ${advice}`);
        }
        let taken = () => {};
        frame.waitUntil?.(
          new Promise<void>((resolve) => {
            taken = resolve;
          }),
        );
        waiting.push({ frame, taken });
      };

      const pump = async () => {
        const inFlight: Promise<unknown>[] = [];
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          // The consumer's own work on a frame (waitUntil) counts as in flight too, so it is bounded with the rest.
          const work: Promise<unknown>[] = [];
          let { frame } = next;
          running = true;
          before(frame);
          const again = () => {
            // A live stream goes on with the newest.
            const newer = policy === "latest" ? waiting.shift() : undefined;
            if (newer) statistics.dropped++;
            frame = newer?.frame ?? frame;
            if (newer) before(frame);
            return frame;
          };
          const processed = await processor.run(frame, (promise) => work.push(promise), again);
          if (subscriber.closed) return;
          running = false;
          statistics.frames++;
          subscriber.next(processed);
          inFlight.push(Promise.allSettled([processor.idle(), ...work]));
          if (inFlight.length >= most) await inFlight.shift();
          next.taken();
        }
        await Promise.all(inFlight);
      };

      const start = async () => {
        if (pumping) return;
        pumping = true;
        try {
          await pump();
        } catch (error) {
          fail(error);
        }
        pumping = false;
        if (waiting.length > 0) void start();
        else end?.();
      };

      const endWith = (deliver: () => void) => {
        end = () => finish(deliver);
        if (!pumping) end();
      };

      const abort = () => fail(signal.reason);
      signal.addEventListener("abort", abort);
      const subscription = frames$.subscribe({
        next(frame) {
          try {
            arrive(frame);
          } catch (error) {
            fail(error);
          }
          void start();
        },
        error: (error) => endWith(() => subscriber.error(error)),
        complete: () => endWith(() => subscriber.complete()),
      });

      return () => {
        signal.removeEventListener("abort", abort);
        subscription.unsubscribe();
        statistics.dropped += waiting.length + (running ? 1 : 0);
        for (const { taken } of waiting.splice(0)) taken();
        processor.end(!ended);
      };
    });
}
