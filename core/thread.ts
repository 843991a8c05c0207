/** A worker that was started: a page's `Worker`, or a thread of Node. */
export interface Thread<Request, Message> {
  post(request: Request): void;
  /**
   * `heard` gets the worker's messages; `died` gets the reason why the worker stopped, unless `end` was called: a `NoThread` where the
   * worker had sent nothing before.
   */
  listen(heard: (message: Message) => void, died: (error: Error) => void): void;
  /** Keeps the process alive while `waiting` is true, and no longer. */
  hold(waiting: boolean): void;
  /** Stops the worker, whatever it is doing. */
  end(): Promise<void>;
  /** The bytes of memory that the process uses, where the platform tells. */
  memory?(): number;
}

/** Thrown where the worker's module could not be started. */
export class NoThread extends Error {
  override readonly name = "NoThread";
}

/** Thrown where the worker's JavaScript heap is full. */
export class HeapFull extends Error {
  override readonly name = "HeapFull";
}

/** Whether the library was built. Node runs no TypeScript: where the sources run unbuilt, as in tests, there is no module for a thread. */
export const isBuilt = !/\.ts$/.test(import.meta.url);

/** Tells a worker that died from one that never started. */
function hearing<Message>(heard: (message: Message) => void, died: (error: Error) => void) {
  let isHeard = false;
  return {
    hear(message: Message) {
      isHeard = true;
      heard(message);
    },
    die: (error: Error) => died(isHeard || error instanceof HeapFull ? error : new NoThread(error.message)),
  };
}

/**
 * Starts a thread of Node, with a JavaScript heap of `megabytes` MiB if given. It takes over none of the program's flags: with those of
 * `node --eval` it would run the program's text. Throws `NoThread` where the module is missing: the sources run unbuilt, or a bundler that
 * made one file of the program has left the module out.
 */
export function nodeThread<Request, Message>(module: URL, name: string, megabytes?: number): Thread<Request, Message> {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  if (!isBuilt || !process.getBuiltinModule("node:fs").existsSync(module)) throw new NoThread(`${module} is not there`);
  const resourceLimits = megabytes === undefined ? {} : { maxOldGenerationSizeMb: megabytes };
  const worker = new Worker(module, { name, execArgv: [], resourceLimits });
  return {
    post: (request) => worker.postMessage(request),
    listen(heard, died) {
      const { hear, die } = hearing(heard, died);
      worker.on("message", hear);
      worker.on("messageerror", die);
      worker.on("error", (error: NodeJS.ErrnoException) => {
        die(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new HeapFull(error.message) : error);
      });
      worker.on("exit", () => die(new Error("its thread has ended")));
    },
    hold: (waiting) => (waiting ? worker.ref() : worker.unref()),
    async end() {
      await worker.terminate();
    },
    memory: () => process.memoryUsage.rss(),
  };
}

/** A page's worker as a thread. The page's content security policy must allow `worker-src 'self'`. */
export function pageThread<Request, Message>(worker: Worker): Thread<Request, Message> {
  return {
    post: (request) => worker.postMessage(request),
    listen(heard, died) {
      const { hear, die } = hearing(heard, died);
      worker.onmessage = ({ data }: MessageEvent<Message>) => hear(data);
      worker.onerror = ({ message }) => die(new Error(message || "its module cannot be loaded"));
    },
    hold() {},
    end: async () => worker.terminate(),
  };
}
