import { type MonoTypeOperatorFunction, Observable } from "rxjs";
import type { DepthFrame } from "./frame.ts";
import { Queue } from "./queue.ts";
import { holdOf } from "./streams.ts";
import { wayOf, withWay } from "./way.ts";

/**
 * Lets a source that cannot wait go through `process("lossless")`: while its consumer is busy up to `most` frames wait, and each frame
 * holds those behind it by `waitUntil`. At a further frame the queue gives up all that wait but the newest. At first, and again after that,
 * one frame may wait, and one more each time that the consumer has caught up. So a consumer that starts slowly or is always too slow stays
 * close to the present, and a consumer that paused loses nothing. Frames that were given up are a gap in `index`. Frames that wait at the
 * source's end still come.
 *
 *     camera.frames$.pipe(withBacklog(15), pipeline.process("lossless"))
 */
export function withBacklog(most: number): MonoTypeOperatorFunction<DepthFrame> {
  return (frames$) =>
    new Observable((subscriber) => {
      const pass = async (frame: DepthFrame) => {
        const { waitUntil, settled } = holdOf(frame);
        subscriber.next(withWay({ ...frame, waitUntil }, wayOf(frame)));
        await settled();
        if (queue.waiting.length === 0) queue.most = Math.min(most, queue.most + 1);
      };
      const queue = new Queue(pass, () => {});
      const source = frames$.subscribe({
        next(frame) {
          const given = queue.waiting.length < queue.most ? [] : queue.clear();
          if (given.length > 0) queue.most = 1;
          // A frame that takes the place of a frame that jumped does not continue the frames before the jump, either.
          const jump = frame.jump || given.some((one) => one.jump);
          queue.offer(jump ? withWay({ ...frame, jump }, wayOf(frame)) : frame);
        },
        error: (error) => queue.whenIdle(() => subscriber.error(error)),
        complete: () => queue.whenIdle(() => subscriber.complete()),
      });
      return () => {
        source.unsubscribe();
        queue.clear();
      };
    });
}
