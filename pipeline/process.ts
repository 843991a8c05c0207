import { Observable, type OperatorFunction } from "rxjs";
import type { DepthFrame } from "../sources/frame.ts";
import type { ProcessedFrame } from "./frame.ts";
import type { Pipeline } from "./pipeline.ts";

/**
 * What happens when frames come faster than they are processed.
 * "latest" (live): the newest frame wins, those it replaces are counted as dropped.
 * "lossless" (replay): every frame, in order; the source is held back through `DepthFrame.waitUntil`.
 */
export type Policy = "latest" | "lossless";

/** Frames submitted and not yet done: one on the GPU, one behind it. */
const IN_FLIGHT = 2;
/** A source that cannot wait may run ahead by this many frames before "lossless" gives up: nothing queues without bound. */
const MAX_WAITING = 8;

/** The stream's whole edge: everything about order, waiting and dropping is in this file. */
export function processFrames(pipeline: Pipeline, policy: Policy): OperatorFunction<DepthFrame, ProcessedFrame> {
  return (frames$) =>
    new Observable<ProcessedFrame>((subscriber) => {
      pipeline.begin();
      const waiting: { frame: DepthFrame; taken: () => void }[] = [];
      /** How the source ended, to be passed on when the frames before it have been. */
      let end: (() => void) | undefined;
      let pumping = false;
      let ended = false;

      const enqueue = (frame: DepthFrame) => {
        if (policy === "latest") {
          pipeline.statistics.dropped += waiting.length;
          waiting.length = 0;
          waiting.push({ frame, taken() {} });
          return;
        }
        if (waiting.length === MAX_WAITING) {
          throw new Error(
            `lossless: ${MAX_WAITING} frames wait and the source does not; take "latest", or a source that honours waitUntil`,
          );
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
          const processed = await pipeline.run(next.frame, (promise) => work.push(promise));
          if (subscriber.closed) return;
          subscriber.next(processed);
          pipeline.freeRetired();
          inFlight.push(Promise.allSettled([pipeline.idle(), ...work]));
          if (inFlight.length === IN_FLIGHT) await inFlight.shift();
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
          finish(() => subscriber.error(error));
        }
        pumping = false;
        if (waiting.length > 0) void start();
        else end?.();
      };

      const finish = (deliver: () => void) => {
        ended = true;
        deliver();
      };

      const endWith = (deliver: () => void) => {
        end = () => finish(deliver);
        if (!pumping) end();
      };

      const subscription = frames$.subscribe({
        next(frame) {
          try {
            enqueue(frame);
          } catch (error) {
            finish(() => subscriber.error(error));
          }
          void start();
        },
        error: (error) => endWith(() => subscriber.error(error)),
        complete: () => endWith(() => subscriber.complete()),
      });

      return () => {
        subscription.unsubscribe();
        for (const { taken } of waiting) taken();
        waiting.length = 0;
        pipeline.end(!ended);
      };
    });
}
