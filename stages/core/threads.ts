import { OptionError } from "../../core/check.ts";
import { CALL_WORDS, CALLED, CALLS, FAILED, PENDING } from "./job.ts";
import work from "./worker.cjs?raw";

/** A memory, and the WebAssembly modules that each thread instantiates on it, in order. */
interface Machine {
  readonly memory: WebAssembly.Memory;
  readonly modules: readonly WebAssembly.Module[];
}

/** A memory on which the threads do parts of each frame's work. */
export interface PoolHandle {
  /** The threads beside the calling one that have room in the memory. */
  readonly others: number;
  /** Lets the threads take parts of the job. */
  call(): void;
  /** Ends the membership, and with the last one the threads. Call this between two frames only. */
  leave(): void;
}

/**
 * Whether threads can share memory: in Node, and in a worker of a page whose server sends the headers for cross-origin isolation, as
 * `depthloom view` does. (A page's own thread must not wait for others.)
 */
export const canShare: boolean =
  import.meta.env.SSR || (globalThis.crossOriginIsolated === true && "WorkerGlobalScope" in globalThis);
/** The most threads that share a frame's work, the calling one included, unless the environment says otherwise. */
const MOST_THREADS = 8;

/**
 * The number of threads that share a frame's work, the calling one included: one for each core, up to `MOST_THREADS`, or up to the
 * environment variable DEPTHLOOM_THREADS. Throws an `OptionError` if that is no whole number from 1.
 */
export function threadCount(): number {
  if (!canShare) return 1;
  if (!import.meta.env.SSR) return Math.min(navigator.hardwareConcurrency, MOST_THREADS);
  const { DEPTHLOOM_THREADS: asked = "" } = process.env;
  const most = asked === "" ? MOST_THREADS : Number(asked);
  if (!Number.isInteger(most) || most < 1) {
    throw new OptionError(
      `the environment variable DEPTHLOOM_THREADS must be a whole number from 1, not ${JSON.stringify(asked)}`,
    );
  }
  return Math.min(process.getBuiltinModule("node:os").availableParallelism(), most);
}

/** A thread that was started. */
interface Thread {
  postMessage(message: unknown): void;
  terminate(): unknown;
}

/** Hands a thread of Node its messages as a page's worker receives them. Modules for pages are built without this text. */
const HEAR_IN_NODE = import.meta.env.SSR
  ? `require("node:worker_threads").parentPort.on("message", (data) => globalThis.onmessage({ data }));\n`
  : "";

/** Starts a thread; `onEnd` is called when it fails or ends. Throws where no thread is allowed. */
function startThread(place: Readonly<Record<string, unknown>>, onEnd: () => void): Thread {
  if (import.meta.env.SSR) {
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    // With the flags of `node --eval` it would run the program's text.
    const worker = new Worker(HEAR_IN_NODE + work, { eval: true, execArgv: [] });
    // A team detects a failed thread by the word FAILED. Memories that join later get new threads.
    worker.on("error", () => {});
    worker.on("exit", onEnd);
    worker.unref();
    worker.postMessage(place);
    return worker;
  }
  const url = URL.createObjectURL(new Blob([work], { type: "text/javascript" }));
  const worker = new Worker(url, { name: "depthloom thread" });
  worker.addEventListener("error", onEnd);
  worker.postMessage(place);
  // The browser has begun to fetch the script.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return worker;
}

/** The threads beside the calling one. All twins use the same ones: twins run one after the other. */
class Threads {
  readonly #words: Int32Array;
  readonly #workers: readonly Thread[];
  readonly #members = new Set<number>();
  #last = 0;

  /** Throws where no thread is allowed. */
  constructor(count: number) {
    const words = new Int32Array(new SharedArrayBuffer(4 * (CALL_WORDS + count)));
    this.#words = words;
    this.#workers = Array.from({ length: count }, (_, i) =>
      startThread({ words, thread: i + 1, told: CALL_WORDS + i, CALLS, CALLED, PENDING, FAILED }, () => this.#retire()),
    );
  }

  join({ memory, modules }: Machine, job: number, others: number): PoolHandle {
    const member = ++this.#last;
    this.#members.add(member);
    this.#tell({ member, memory, modules, job }, others);
    return {
      others,
      call: () => this.#call(member),
      leave: () => {
        if (!this.#members.delete(member)) return;
        this.#tell({ member });
        if (this.#members.size === 0) this.#end();
      },
    };
  }

  /**
   * Sends a message to the first `count` threads. A thread takes all messages that the words count for it before it looks for work
   * (worker.cjs).
   */
  #tell(message: object, count = this.#workers.length): void {
    for (const [i, worker] of this.#workers.slice(0, count).entries()) {
      Atomics.add(this.#words, CALL_WORDS + i, 1);
      worker.postMessage(message);
    }
    Atomics.add(this.#words, CALLS, 1);
    Atomics.notify(this.#words, CALLS);
  }

  #call(member: number): void {
    Atomics.store(this.#words, CALLED, member);
    Atomics.add(this.#words, CALLS, 1);
    Atomics.notify(this.#words, CALLS);
  }

  #end(): void {
    this.#retire();
    for (const worker of this.#workers) void worker.terminate();
  }

  #retire(): void {
    if (threads === this) threads = undefined;
  }
}

let threads: Threads | undefined;

/**
 * Lets up to `others` threads call the export `work` of the modules once per job, with the job's address and the thread's number, from 1 to
 * `others`: the memory has room for no more. The export takes parts of the job until none is left. Returns `undefined` where no thread is
 * allowed. The threads start when the first memory joins, end when the last one leaves, and do not keep the process alive.
 */
export function joinThreads(machine: Machine, job: number, others: number): PoolHandle | undefined {
  // `threadCount` says so as well. `threadCount` says so as well. The test is repeated here so that a build for pages leaves out all that
  // belongs to Node.
  if (!canShare) return undefined;
  try {
    threads ??= new Threads(others);
  } catch {
    return undefined; // Node's permissions, or a page's policy, allow no threads.
  }
  return threads.join(machine, job, others);
}
