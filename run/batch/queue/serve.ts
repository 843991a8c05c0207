import type * as Bull from "bullmq";
import { messageOf } from "../../../core/caught.ts";
import { plain } from "../../../core/check.ts";
import { sweep } from "../job/place.ts";
import type { Done } from "../job/types.ts";
import type { RecordingLog } from "../log.ts";
import type { Work } from "../process/fork.ts";
import { VERSION } from "../settings.ts";
import { LOCK_MS, MOST_STALLED, QUEUE, QUEUES, type QueuedJob, STALLED_EVERY_MS, wholeJob } from "./jobs.ts";
import { away, type Queueing } from "./packages.ts";

export interface ServeOptions {
  /** How many recordings at once. */
  readonly atOnce: number;
  readonly work: Work;
  /** After an abort no further job is taken; running jobs finish. */
  readonly signal: AbortSignal;
  /** Ends after this many seconds without a waiting job; `undefined`: never. */
  readonly idleSeconds: number | undefined;
  /** Told how each try at a recording ends. */
  readonly recordings: RecordingLog;
  log(line: string): void;
}

/** The summary of a result that the queue stores; the result itself lies in its folder. */
type Told = Pick<Done["run"], "seconds" | "host">;

/** Works on the jobs of a queue until the signal. Returns the number of recordings done. */
export async function serveQueue(queueing: Queueing, options: ServeOptions): Promise<number> {
  const { bull, name } = queueing;
  const { atOnce, work, signal, idleSeconds, recordings, log } = options;
  const [connection, more] = [queueing.connect(log), queueing.connect(() => {})];
  const swept = new Set<string>();
  let done = 0;
  let running = 0;
  const process = async ({ data, attemptsMade, opts }: Bull.Job<QueuedJob>): Promise<Told> => {
    const named = { key: plain(String(data?.key ?? "a recording")) };
    running++;
    recordings.begun(named, attemptsMade + 1);
    try {
      const job = await wholeJob(data);
      if (!swept.has(job.out)) {
        swept.add(job.out);
        await sweep(job.out);
      }
      const result = await work(job, { fresh: attemptsMade > 0 });
      done++;
      recordings.done(named, result);
      return { seconds: result.run.seconds, host: result.run.host };
    } catch (error) {
      recordings.failed(named, messageOf(error), attemptsMade + 1 < (opts.attempts ?? 1));
      throw error;
    } finally {
      running--;
    }
  };
  const worker = new bull.Worker<QueuedJob, Told>(QUEUE, process, {
    ...queueing.watched,
    connection,
    concurrency: atOnce,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_EVERY_MS,
    maxStalledCount: MOST_STALLED,
    removeOnComplete: { count: 0 },
  });
  // The connection reports its errors itself.
  worker.on("error", () => {});
  try {
    const told = tellOthers(more, log).then(() =>
      log(`waiting for recordings at ${name}: depthloom ${VERSION}, ${atOnce} at once`),
    );
    // Its connection may be ended while the server is away.
    told.catch(() => {});
    await new Promise<void>((resolve, reject) => {
      told.catch(reject);
      signal.addEventListener("abort", () => resolve());
      if (signal.aborted) resolve();
      let timer: NodeJS.Timeout | undefined;
      const idle = () => {
        if (idleSeconds !== undefined) timer ??= setTimeout(resolve, 1000 * idleSeconds);
      };
      worker.on("drained", idle);
      worker.on("active", () => {
        clearTimeout(timer);
        timer = undefined;
      });
      idle();
    });
    const closed = worker.close();
    closed.catch(() => {});
    await Promise.race([closed, away(() => running === 0 && connection.status !== "ready")]);
  } finally {
    queueing.disconnect();
  }
  return done;
}

/** Reports jobs that wait for workers of other versions; this worker leaves them alone. */
async function tellOthers(
  client: { keys(pattern: string): Promise<string[]> },
  log: ServeOptions["log"],
): Promise<void> {
  const names = (await client.keys(`bull:${QUEUES}*:wait`)).map((key) => key.split(":")[1] ?? "");
  for (const name of names.filter((one) => one !== QUEUE))
    log(
      `recordings for depthloom ${name.slice(QUEUES.length)} wait, too; this is ${VERSION}, and leaves them to workers of that version`,
    );
}
