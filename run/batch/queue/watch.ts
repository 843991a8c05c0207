import { setTimeout as pause } from "node:timers/promises";
import type * as Bull from "bullmq";
import { readCurrent } from "../job/place.ts";
import type { Done, Job } from "../job/types.ts";
import type { RunListener } from "../run.ts";
import { idOf, QUEUE, type QueuedJob, queued, TRIES } from "./jobs.ts";
import { away, type Queueing } from "./packages.ts";

/** Jobs that are handed to the queue, or asked about, at once. */
const AT_ONCE = 500;
/** All open jobs are asked about when the queue is empty, and at least this often in ms: a word of the queue may have been lost. */
const ASK_MS = 60_000;
const LOOK_MS = 500;
/** A queue without workers is reported after this time, ms. */
const LONELY_MS = 10_000;

export interface WatchOptions extends RunListener {
  readonly signal: AbortSignal;
  /** The priority: 1 comes first; a job without one precedes all. */
  readonly priority: number | undefined;
  /** When more than this many recordings have failed, those that wait are taken back; `undefined`: there is no limit. */
  readonly maxFailed?: number | undefined;
  /** Finds the result of a job: `readCurrent`, unless the work is a simulated one. */
  readonly read?: (job: Job) => Promise<Done | undefined>;
  log(line: string): void;
}

/** The number of the queue's jobs in each state. */
type QueueCounts = Readonly<Record<string, number>>;

/**
 * Adds jobs to a queue, and waits until workers have finished them all or the signal is aborted, which leaves the jobs in the queue. Adding
 * the same jobs twice adds each once. Too many failures end it as well. Returns the counts of the queue, or no counts where its server is
 * away.
 */
export async function throughQueue(
  queueing: Queueing,
  jobs: readonly Job[],
  options: WatchOptions,
): Promise<QueueCounts> {
  const { bull, connect, name } = queueing;
  const { signal, log, priority, maxFailed = Infinity, read = readCurrent } = options;
  let failures = 0;
  const [connection, listening] = [connect(log), connect(() => {})];
  const queue = new bull.Queue<QueuedJob>(QUEUE, { ...queueing.watched, connection });
  const events = new bull.QueueEvents(QUEUE, { connection: listening });
  queue.on("error", () => {});
  events.on("error", () => {});
  const open = new Map(jobs.map((job) => [idOf(queued(job)), job]));
  const add = async (some: readonly Job[]) => {
    const more = { ...TRIES, removeOnComplete: true, ...(priority !== undefined && { priority }) };
    await queue.addBulk(
      some.map((job) => ({ name: "recording", data: queued(job), opts: { ...more, jobId: idOf(queued(job)) } })),
    );
  };
  const settle = async (id: string) => {
    const job = open.get(id);
    const done = job && (await read(job));
    if (job && done && open.delete(id)) options.done(job, done);
    return done !== undefined;
  };
  const fail = (id: string, reason: string) => {
    const job = open.get(id);
    if (!job || !open.delete(id)) return;
    failures++;
    options.failed(job, reason, false);
  };
  events.on("active", ({ jobId }) => {
    const job = open.get(jobId);
    if (job) options.begun(job);
  });
  events.on("completed", ({ jobId }) => void settle(jobId));
  events.on("failed", ({ jobId, failedReason }) => fail(jobId, failedReason));
  /** Looks up every open job: takes results and failures, and adds jobs again that the server has lost. */
  const ask = async () => {
    for (const some of inParts([...open])) {
      const states = await Promise.all(some.map(async ([id]) => (await settle(id)) || (await queue.getJobState(id))));
      const lost: Job[] = [];
      for (const [i, [id, job]] of some.entries()) {
        if (states[i] === "failed") fail(id, (await queue.getJob(id))?.failedReason ?? "it failed");
        if (states[i] === "unknown" && !(await settle(id))) lost.push(job);
      }
      await add(lost);
    }
  };
  const watch = async (): Promise<QueueCounts> => {
    await events.waitUntilReady();
    await forgetFailed(queue, open);
    for (const some of inParts([...open.values()])) await add(some);
    log(`${open.size} recordings are in the queue at ${name}`);
    let [asked, met] = [performance.now(), performance.now()];
    let lonely = false;
    while (open.size > 0 && !signal.aborted && failures <= maxFailed) {
      await pause(LOOK_MS, undefined, { signal }).catch(() => {});
      const now = performance.now();
      const { waiting = 0, active = 0, delayed = 0, prioritized = 0 } = await countsOf(queue);
      if (waiting + active + delayed + prioritized === 0 || now - asked > ASK_MS) {
        asked = now;
        await ask();
      }
      if (active > 0 || (now - met > LONELY_MS && (await queue.getWorkersCount()) > 0)) met = now;
      if (now - met > LONELY_MS && !lonely) log(`no worker is at ${name}; start some: depthloom worker ${name}`);
      lonely ||= now - met > LONELY_MS;
    }
    // A job that a worker has in hand cannot be removed, and ends as any other.
    if (failures > maxFailed) for (const id of open.keys()) await queue.remove(id).catch(() => {});
    const counts = await countsOf(queue);
    if (open.size === 0) await forgetFailed(queue, new Map(jobs.map((job) => [idOf(queued(job)), job])));
    return counts;
  };
  let isOver = false;
  try {
    const watched = watch();
    watched.catch(() => {});
    const unanswered = away(() => isOver || (signal.aborted && connection.status !== "ready"));
    return await Promise.race([watched, unanswered.then(() => ({}))]);
  } finally {
    isOver = true;
    const closed = Promise.all([queue.close(), events.close()]).catch(() => {});
    await Promise.race([closed, away(() => connection.status !== "ready")]);
    queueing.disconnect();
  }
}

const countsOf = (queue: Bull.Queue<QueuedJob>): Promise<QueueCounts> =>
  queue.getJobCounts("waiting", "active", "delayed", "prioritized", "failed");

/** Jobs that failed before are to be tried again. */
async function forgetFailed(queue: Bull.Queue<QueuedJob>, of: ReadonlyMap<string, Job>): Promise<void> {
  const failed = await queue.getFailed();
  await Promise.all(failed.filter(({ id }) => id !== undefined && of.has(id)).map((job) => job.remove()));
}

function* inParts<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += AT_ONCE) yield all.slice(at, at + AT_ONCE);
}
