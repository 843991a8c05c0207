/**
 * The parts of a job, which several threads on one memory share out among themselves. threads.ts begins the job; job.ts has the places of
 * its words.
 */
import { LEFT, PENDING, SCRATCH_SIZE, SCRATCHES } from "../job.ts";

/**
 * Takes a part, and returns its number, or a number below 0 if none is left. A thread reads the job's words only after it took a part:
 * before that they may be the last job's.
 */
export function takePart(job: usize): i32 {
  return atomic.sub<i32>(job, 1, 4 * LEFT) - 1;
}

/** Ends a part that was taken. The thread that ends the last part wakes the thread that waits for all parts. */
export function endPart(job: usize): void {
  if (atomic.sub<i32>(job, 1, 4 * PENDING) === 1) atomic.notify(job + 4 * PENDING, 1);
}

/** The address, or other number, in a word of a job. */
export function at(job: usize, word: usize): usize {
  return <usize>load<u32>(job + (word << 2));
}

/** The address of a thread's own memory; the first thread is 0. */
export function scratchOf(job: usize, thread: usize): usize {
  return at(job, SCRATCHES) + thread * at(job, SCRATCH_SIZE);
}
