import { type MonoTypeOperatorFunction, Observable } from "rxjs";
import type { DepthFrame } from "./frame.ts";
import { Queue } from "./queue.ts";
import { holdOf } from "./streams.ts";
import { insteadOf, wayOf, withWay } from "./way.ts";

/** A stream's consumer starts in this time after the first frame, ms: it makes its threads, and compiles. */
const START_MS = 1000;

/**
 * Lets a source that cannot wait go through `process("lossless")`: while the consumer is busy, up to `most` frames wait, and each frame
 * holds the frames behind it by `waitUntil`. If one more frame comes, the queue drops all waiting frames but the newest. From then on one
 * frame may wait, and one more each time that the consumer has caught up. The same holds after the stream's first second, in which the
 * consumer starts. So a consumer that is always too slow stays close to the present, and a consumer that starts or paused loses nothing.
 * Frames that were given up are a gap in `index`. Frames that wait at the source's end still come.
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
        if (queue.waiting.length === 0) earned = Math.min(most, earned + 1);
        if (!isStarting) queue.most = Math.max(earned, Math.min(queue.most, queue.waiting.length));
      };
      const queue = new Queue(pass, () => {}, most);
      let firstMs: number | undefined;
      let isStarting = true;
      /** How many frames may wait after the start. */
      let earned = 1;
      const source = frames$.subscribe({
        next(frame) {
          firstMs ??= performance.now();
          if (isStarting && performance.now() - firstMs > START_MS) {
            isStarting = false;
            queue.most = Math.max(earned, queue.waiting.length);
          }
          const given = [...queue.givesUp];
          if (given.length > 0) {
            isStarting = false;
            queue.most = earned = 1;
          }
          queue.offer(insteadOf(frame, given));
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
