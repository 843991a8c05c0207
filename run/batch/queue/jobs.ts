import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { isRemote } from "../../../core/address.ts";
import { shown } from "../../../core/check.ts";
import { OutputError } from "../../report/failure.ts";
import { at } from "../job/files.ts";
import { readMarker } from "../job/marker.ts";
import { checkKey, MARKER } from "../job/place.ts";
import type { Job } from "../job/types.ts";
import { VERSION } from "../settings.ts";

/** A job as the queue holds it. The settings of all jobs lie in the results' folder. */
export type QueuedJob = Omit<Job, "settings" | "version">;

/** The common prefix of the queues of all versions. */
export const QUEUES = "depthloom-";
/** Each version has a queue of its own, so that results of two versions never mix. */
export const QUEUE = `${QUEUES}${VERSION}`;

/** A job whose worker has been silent for this long, ms, is given to another worker. */
export const LOCK_MS = 10_000;
export const STALLED_EVERY_MS = 5_000;
/** A job may lose its worker this often. A bad recording cannot kill a worker, because it runs in a process of its own. */
export const MOST_STALLED = 50;
/** Tries of a job that fails, and the pause before the second one, ms. */
export const TRIES = { attempts: 2, backoff: { type: "exponential", delay: 1000 } } as const;

export const queued = ({ settings: _, version: __, ...job }: Job): QueuedJob => job;

/** The same recording, settings, version and place have the same identifier, so that a job is never twice in the queue. */
export const idOf = ({ out, identity, key, stamp }: QueuedJob): string =>
  createHash("sha256")
    .update(JSON.stringify([out, identity, key, stamp]))
    .digest("hex")
    .slice(0, 32);

/**
 * The whole job, with the settings from the results' folder. Throws for data that `batch --queue` does not write, if this machine does not
 * see that folder, or if that folder has other settings by now.
 */
export async function wholeJob(data: unknown): Promise<Job> {
  const job = checkedJob(data);
  const marker = await readMarker(job.out);
  if (!marker)
    throw new OutputError(`${at(job.out, MARKER)}: it is not there; this machine must see the folder of the results`);
  if (marker.identity !== job.identity) throw new OutputError(`${job.out}: it now holds results of other settings`);
  return { ...job, settings: marker.settings, version: VERSION };
}

function checkedJob(data: unknown): QueuedJob {
  const job = { ...(data as Partial<QueuedJob> | null) };
  const texts = [job.key, job.input, job.out, job.identity, job.stamp];
  const numbers = [job.bytes, job.files];
  const holds = texts.every((text) => typeof text === "string") && numbers.every((one) => typeof one === "number");
  if (!holds || !(isAbsolute(String(job.out)) || isRemote(String(job.out))))
    throw new OutputError(`the queue holds something that "depthloom batch --queue" has not written: ${shown(data)}`);
  checkKey(job.key);
  return job as QueuedJob;
}
