import { JOB_HEAD, JOBS, LEFT, PENDING } from "./job.ts";
import work from "./worker.cjs?raw";

/** The WebAssembly modules that a thread instantiates, in order, on one memory. */
interface Machine {
  readonly memory: WebAssembly.Memory;
  readonly modules: readonly WebAssembly.Module[];
}

/** A second thread that does parts of each frame's work. */
export interface Thread {
  /** Ends the thread. Call this between two frames only: during one, the thread may hold a part that is not finished. */
  terminate(): unknown;
}

/**
 * Whether threads can share memory: in Node only. A page can share memory only if its server sends the headers for cross-origin isolation,
 * which plain static servers do not send; besides, a page's second core is busy composing the page.
 */
export const canShare = import.meta.env.SSR;
/** Frames before a second thread starts: what runs once or twice is not worth a thread. */
export const FRAMES_ALONE = 3;

/** Written to the word PENDING when the thread fails. It stays below 0 when the other thread finishes its parts. */
const FAILED = -(2 ** 30);
const words = { PENDING, JOBS, JOB_HEAD, FAILED };

/**
 * Starts a thread that calls the export `name` of the modules once per job, with the addresses of the job and of the thread's own scratch
 * memory (`desk`). The export takes parts of the job until none is left. Returns `undefined` on a machine with one core, and where no
 * thread is allowed. The thread does not keep the process alive.
 */
export function beginThread({ memory, modules }: Machine, name: string, job: number, desk: number): Thread | undefined {
  try {
    if (process.getBuiltinModule("node:os").availableParallelism() > 1) {
      const { Worker } = process.getBuiltinModule("node:worker_threads");
      const thread = new Worker(work, { eval: true, workerData: { memory, modules, name, job, desk, words } });
      // `finish` detects a failed thread by the word PENDING.
      thread.on("error", () => {});
      thread.unref();
      return thread;
    }
  } catch {} // Node's permissions allow no threads.
  return undefined;
}

/**
 * Runs a job of `parts` parts on the thread, if there is one, and on this thread, by calling `work`. Blocks until all parts are finished.
 * Returns false if the other thread failed.
 */
export function finish(job: Int32Array, parts: number, thread: Thread | undefined, work: () => void): boolean {
  Atomics.store(job, PENDING, parts);
  // The other thread may still be looking for parts of the last job, so this store starts the job; all its data has to be written before.
  Atomics.store(job, LEFT, parts);
  if (thread) {
    Atomics.add(job, JOBS, 1);
    Atomics.notify(job, JOBS);
  }
  work();
  for (;;) {
    const pending = Atomics.load(job, PENDING);
    if (pending <= 0) return pending === 0;
    Atomics.wait(job, PENDING, pending);
  }
}
