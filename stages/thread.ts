/** What runs on a memory, its modules in order. */
interface Machine {
  readonly memory: WebAssembly.Memory;
  readonly modules: readonly WebAssembly.Module[];
}

/** A thread that does a part of each frame's work. */
export interface Thread {
  /** To be called between two frames: in one it may have a part that nobody else does. */
  terminate(): unknown;
}

/**
 * Whether memory can be shared between threads. In Node alone: a page can share it only where its server says that it is isolated from
 * others, which any static server does not, and the second core is the browser's there, which composes the page.
 */
export const canShare = import.meta.env.SSR;

/** Words of a job, in the memory that its threads share: parts that nobody has taken, parts that are not done, and jobs so far. */
const [LEFT, PENDING, JOBS] = [0, 1, 2];
const FAILED = -(2 ** 30);

/** What the thread does, as text, since a module would need a file of its own in each build: parts of a job, then it waits for the next. */
const WORK = `
  const { memory, modules, name, job, desk } = require("node:worker_threads").workerData;
  const twin = { memory };
  for (const module of modules) Object.assign(twin, new WebAssembly.Instance(module, { twin }).exports);
  const words = new Int32Array(memory.buffer, job, 3);
  for (;;) {
    const jobs = Atomics.load(words, ${JOBS});
    try {
      twin[name](job, desk);
    } catch (error) {
      Atomics.store(words, ${PENDING}, ${FAILED});
      Atomics.notify(words, ${PENDING});
      throw error;
    }
    Atomics.wait(words, ${JOBS}, jobs);
  }`;

/**
 * Has an export of a shared memory's modules called on a thread of its own for each job: with where that is and where the thread's own
 * memory is. It takes parts of the job until none is left. A thread that does not start takes none. It keeps no process alive.
 */
export function beginThread({ memory, modules }: Machine, name: string, job: number, desk: number): Thread {
  try {
    if (process.getBuiltinModule("node:os").availableParallelism() > 1) {
      const { Worker } = process.getBuiltinModule("node:worker_threads");
      const thread = new Worker(WORK, { eval: true, workerData: { memory, modules, name, job, desk } });
      // What is wrong with it shows in the job.
      thread.on("error", () => {});
      thread.unref();
      return thread;
    }
  } catch {} // Node was told to allow none.
  return { terminate() {} };
}

/** Does a job, with the thread if there is one; `work` is this thread's. Says whether all of it is done: not if the other one failed. */
export function finish(words: Int32Array, parts: number, thread: Thread | undefined, work: () => void): boolean {
  Atomics.store(words, PENDING, parts);
  // With this it begins, so all that it is about is there: the other thread may still be looking for more of the last one.
  Atomics.store(words, LEFT, parts);
  if (thread) {
    Atomics.add(words, JOBS, 1);
    Atomics.notify(words, JOBS);
  }
  work();
  for (;;) {
    const pending = Atomics.load(words, PENDING);
    if (pending <= 0) return pending === 0;
    Atomics.wait(words, PENDING, pending);
  }
}
