import { type MonoTypeOperatorFunction, Observable } from "rxjs";
import type { DepthFrame } from "./frame.ts";
import { holdOf } from "./streams.ts";
import { wayOf, withWay } from "./way.ts";

/**
 * Lets a source that cannot wait go through `process("lossless")`: while its consumer is busy up to `most` frames wait, and each frame
 * holds those behind it by `waitUntil`. At a further frame the backlog gives up all that wait but the newest, and until the consumer has
 * caught up only one frame may wait. So a consumer that is always too slow stays close to the present, and a consumer that paused loses
 * nothing. Frames that were given up are a gap in `index`. Frames that wait at the source's end still come.
 *
 *     camera.frames$.pipe(withBacklog(15), pipeline.process("lossless"))
 */
export function withBacklog(most: number): MonoTypeOperatorFunction<DepthFrame> {
  return (frames$) =>
    new Observable((subscriber) => {
      let waiting: DepthFrame[] = [];
      let allowed = most;
      let busy = false;
      let end: (() => void) | undefined;
      const start = async () => {
        busy = true;
        for (let frame = waiting.shift(); frame && !subscriber.closed; frame = waiting.shift()) {
          const { waitUntil, settled } = holdOf(frame);
          subscriber.next(withWay({ ...frame, waitUntil }, wayOf(frame)));
          await settled();
          if (waiting.length === 0) allowed = Math.min(most, allowed + 1);
        }
        busy = false;
        end?.();
      };
      const endWith = (deliver: () => void) => {
        end = deliver;
        if (!busy) deliver();
      };
      const source = frames$.subscribe({
        next(frame) {
          const given = waiting.length < allowed ? [] : waiting.splice(0);
          if (given.length > 0) allowed = 1;
          // A frame that takes the place of a frame that jumped does not continue the frames before the jump, either.
          const jump = frame.jump || given.some((one) => one.jump);
          waiting.push(jump ? withWay({ ...frame, jump }, wayOf(frame)) : frame);
          if (!busy) void start();
        },
        error: (error) => endWith(() => subscriber.error(error)),
        complete: () => endWith(() => subscriber.complete()),
      });
      return () => {
        source.unsubscribe();
        waiting = [];
      };
    });
}
