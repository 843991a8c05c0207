import * as threads from "node:worker_threads";
import { afterEach, beforeEach, vi } from "vitest";
import { SCRATCH_SIZE, SCRATCHES } from "../../stages/core/job.ts";

/** The message that a thread gets when a memory joins. */
interface Told {
  readonly memory: WebAssembly.Memory;
  readonly job: number;
}

/** The threads that stages start while a test runs. */
export interface Watched {
  readonly begun: threads.Worker[];
  /** The memories that joined, told to each thread. */
  readonly told: Told[];
  /** If true, threads that begin from now on look for their own memory where there is none. */
  astray: boolean;
  /** The cores that the machine seems to have: 2 at the begin of a test. */
  cores: number;
}

/** Has every test of the file run as on a few cores, watches the threads that it starts, and ends them after it. */
export function watchThreads(): Watched {
  const { getBuiltinModule } = process;
  const watched: Watched = { begun: [], told: [], astray: false, cores: 2 };
  class Worker extends threads.Worker {
    constructor(text: string, options: threads.WorkerOptions) {
      super(text, options);
      watched.begun.push(this);
    }

    override postMessage(message: Partial<Told & { thread: number }>): void {
      const { memory, job, thread } = message;
      if (memory && job !== undefined) watched.told.push({ memory, job });
      // The memory begins with the job and the scratches, so this scratch memory's address is below 0.
      super.postMessage(watched.astray && thread !== undefined ? { ...message, thread: -16 } : message);
    }
  }
  beforeEach(() => {
    const modules: Record<string, object> = {
      "node:os": { availableParallelism: () => watched.cores },
      "node:worker_threads": { Worker },
    };
    vi.spyOn(process, "getBuiltinModule").mockImplementation((id: string) => modules[id] ?? getBuiltinModule(id));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    watched.astray = false;
    watched.cores = 2;
    for (const thread of watched.begun.splice(0)) await thread.terminate();
    watched.told.splice(0);
  });
  return watched;
}

/** Whether a thread that joined, numbered from 1, has written to its own memory. */
export function hasWorked({ memory, job }: Told, thread = 1): boolean {
  const words = new Uint32Array(memory.buffer, job, SCRATCHES + 2);
  return new Uint8Array(memory.buffer, words[SCRATCHES] + thread * words[SCRATCH_SIZE], 1024).some((byte) => byte > 0);
}
