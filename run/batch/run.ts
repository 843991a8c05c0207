import { availableParallelism, freemem } from "node:os";
import { messageOf } from "../../core/caught.ts";
import type { Done, Job } from "./job/types.ts";
import type { Work } from "./process/fork.ts";

/** Called when recordings end. */
export interface RunListener {
  begun(job: Job): void;
  done(job: Job, done: Done): void;
  /** `again`: the recording will be tried once more. */
  failed(job: Job, reason: string, again: boolean): void;
}

export interface RunOptions extends RunListener {
  /** How many recordings at once. */
  readonly atOnce: number;
  readonly work: Work;
  /** When more than this many recordings have failed, at least once, no further one is begun; `undefined`: there is no limit. */
  readonly maxFailed?: number | undefined;
  /** Aborting it ends the processes at once; finished results stay. */
  readonly signal: AbortSignal;
}

/**
 * Processes recordings, several at once. A recording that fails is tried once more after all others, and does not stop the others. Resolves
 * when all have ended or, after an abort or too many failures, when no process runs any more.
 */
export async function runAll(jobs: readonly Job[], options: RunOptions): Promise<void> {
  const { atOnce, work, signal, maxFailed = Infinity } = options;
  const again: Job[] = [];
  const reasons = new Map<Job, string>();
  const runOne = async (job: Job, last: boolean) => {
    options.begun(job);
    try {
      options.done(job, await work(job, { signal, fresh: last }));
      reasons.delete(job);
    } catch (error) {
      // A process that was ended by the abort has not failed.
      if (signal.aborted) return;
      const reason = messageOf(error);
      reasons.set(job, reason);
      if (!last) again.push(job);
      options.failed(job, reason, !last);
    }
  };
  const drain = async (queue: Job[], last: boolean) => {
    const worker = async () => {
      for (let job = queue.shift(); job && !signal.aborted && reasons.size <= maxFailed; job = queue.shift())
        await runOne(job, last);
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, worker));
  };
  await drain([...jobs], false);
  if (reasons.size > maxFailed) for (const job of again) options.failed(job, reasons.get(job) ?? "", false);
  else await drain(again, true);
}

/** The MiB that a process takes at most beside what reading may take. */
const BESIDE_READING = 256;

/** How many recordings fit the machine at once: a core for each, and memory for each at its limit; at least one. */
export function atOnceHere(maxMegabytes = 1024, cores = availableParallelism(), freeBytes = freeBytesHere()): number {
  const room = Math.floor(freeBytes / 2 ** 20 / (maxMegabytes + BESIDE_READING));
  return Math.max(1, Math.min(cores, room));
}

/** The memory that is free; in a container no more than its limit. */
function freeBytesHere(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(freemem(), limit) : freemem();
}
