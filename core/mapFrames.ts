import { type MonoTypeOperatorFunction, Observable } from "rxjs";
import { callable, checkArgument } from "./check.ts";
import type { DepthFrame } from "./frame.ts";
import { Queue } from "./queue.ts";

/** A frame that waits for its turn, and the function that lets its source go on. */
interface HeldFrame {
  readonly frame: DepthFrame;
  release(): void;
}

/**
 * Makes a new frame from each, one after the other, as `concatMap` does, but with back-pressure. A recording delivers no further frame
 * until `project` and all operators after this one are done with the current frame. A live source cannot be held: while `project` works,
 * newer frames replace the one that waits, and the pipeline counts the gaps in `index` as dropped. A frame with a `fault` passes unchanged.
 * The stream ends with the error that `project` throws or rejects with.
 *
 * @example
 * recording.frames$.pipe(mapFrames(async (frame) => ({ ...frame, color: await colorOf(frame) })), pipeline.process("lossless"));
 */
export function mapFrames(
  project: (frame: DepthFrame) => DepthFrame | Promise<DepthFrame>,
): MonoTypeOperatorFunction<DepthFrame> {
  checkArgument("mapFrames", "what changes a frame", callable, project);
  return (frames$) =>
    new Observable((subscriber) => {
      const pass = async ({ frame, release }: HeldFrame) => {
        try {
          const made = frame.fault ? frame : await project(frame);
          // The operators after this one hold the same source, even if `project` returned a frame without `waitUntil`.
          subscriber.next(frame.waitUntil ? { ...made, waitUntil: (work) => frame.waitUntil?.(work) } : made);
        } catch (error) {
          subscriber.error(error);
        }
        release();
      };
      const queue = new Queue(pass, ({ release }) => release(), Infinity);
      const source = frames$.subscribe({
        next(frame) {
          queue.most = frame.waitUntil ? Infinity : 1;
          queue.offer(hold(frame));
        },
        error: (error) => subscriber.error(error),
        complete: () => queue.whenIdle(() => subscriber.complete()),
      });
      return () => {
        source.unsubscribe();
        for (const { release } of queue.clear()) release();
      };
    });
}

function hold(frame: DepthFrame): HeldFrame {
  let release = () => {};
  frame.waitUntil?.(
    new Promise<void>((resolve) => {
      release = resolve;
    }),
  );
  return { frame, release: () => release() };
}
