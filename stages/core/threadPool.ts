import { FAILED, JOB_HEAD, LEFT, PENDING, SCRATCHES } from "./job.ts";
import { joinThreads } from "./threads.ts";
import type { Wasm } from "./wasm.ts";

/** The frame from which a twin's work is shared: what runs once or twice is not worth a thread. */
const FRAMES_ALONE = 3;

/** The threads that share a twin's work on one memory. */
interface ThreadPool {
  /** How many they are, the calling one included: 1 in the first frames. */
  readonly size: number;
  /**
   * Does a frame by calling `make`, which returns false where a job failed: then it is called again, and the calling thread works alone
   * from then on.
   */
  frame(make: () => boolean): void;
  /** Runs the job in `parts` parts and blocks until all are finished. Returns false if another thread failed in its part. */
  finish(parts: number): boolean;
  /** Lets the other threads go. */
  destroy(): void;
}

/**
 * Lets up to `threads` threads share the job at the address `job`. `scratches` is where the first thread's own memory begins, and how many
 * bytes further the next thread's begins.
 */
export function createThreadPool(
  wasm: Wasm<{ work(job: number, thread: number): void }>,
  job: number,
  scratches: readonly [number, number],
  threads: number,
): ThreadPool {
  const words = new Int32Array(wasm.buffer, job, JOB_HEAD);
  words.set(scratches, SCRATCHES);
  let frames = 0;
  const destroy = () => {
    wasm.member?.leave();
    wasm.member = undefined;
  };
  // The twin before this one on this memory may have had scratches for another number of threads.
  if (wasm.member?.others !== threads - 1) destroy();
  return {
    get size() {
      return wasm.member ? threads : 1;
    },
    frame(make) {
      if (threads > 1 && ++frames === FRAMES_ALONE) wasm.member ??= joinThreads(wasm, job, threads - 1);
      if (make()) return;
      destroy();
      make();
    },
    finish(parts) {
      Atomics.store(words, FAILED, 0);
      Atomics.store(words, PENDING, parts);
      // Another thread may still be looking for parts of the last job, so this store starts the job; all its data has to be written before.
      Atomics.store(words, LEFT, parts);
      wasm.member?.call();
      wasm.exports.work(job, 0);
      for (;;) {
        const pending = Atomics.load(words, PENDING);
        if (pending <= 0) return Atomics.load(words, FAILED) === 0;
        Atomics.wait(words, PENDING, pending);
      }
    },
    destroy,
  };
}
