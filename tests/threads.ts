import * as threads from "node:worker_threads";
import { afterEach, beforeEach, vi } from "vitest";

/** What a test sees of the threads that stages start while it runs. */
export interface Watched {
  readonly begun: threads.Worker[];
  /** The messages that each thread received. */
  readonly told: { memory: WebAssembly.Memory; desk: number }[];
  /** If set, threads that begin from now on get this address for their own memory. */
  astray: number | undefined;
}

/** Has every test of the file run as on two cores, watches the threads that it starts, and ends them after it. */
export function watchThreads(): Watched {
  const { getBuiltinModule } = process;
  const watched: Watched = { begun: [], told: [], astray: undefined };
  class Worker extends threads.Worker {
    constructor(text: string, options: threads.WorkerOptions) {
      watched.told.push({ ...options.workerData });
      if (watched.astray !== undefined) options.workerData.desk = watched.astray;
      super(text, options);
      watched.begun.push(this);
    }
  }
  beforeEach(() => {
    const modules: Record<string, object> = {
      "node:os": { availableParallelism: () => 2 },
      "node:worker_threads": { Worker },
    };
    vi.spyOn(process, "getBuiltinModule").mockImplementation((id: string) => modules[id] ?? getBuiltinModule(id));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    watched.astray = undefined;
    for (const thread of watched.begun.splice(0)) await thread.terminate();
    watched.told.splice(0);
  });
  return watched;
}

/** Whether a thread has written to its own memory, of which it got `desk`. */
export const hasWorked = ({ memory, desk }: Watched["told"][number]): boolean =>
  new Uint8Array(memory.buffer, desk, 1024).some((byte) => byte > 0);
