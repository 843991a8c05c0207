import { namesMeant } from "../../core/starred.ts";
import { episodeIn } from "../../sources/recorded/formats/lerobot/episode.ts";
import { findRecordings } from "./find/find.ts";
import type { FoundRecording } from "./find/found.ts";
import { readCurrent } from "./job/place.ts";
import type { Done, Job } from "./job/types.ts";
import { type BatchSettings, identityOf, VERSION } from "./settings.ts";
import { inShard, type Shard } from "./shard.ts";

/** How many results are looked at at once. */
const AT_ONCE = 32;

/** The recordings of a batch, and those that have results already. */
export interface Plan {
  /** All recordings of this shard. */
  readonly jobs: readonly Job[];
  /** Recordings whose results are there already, by key. */
  readonly done: ReadonlyMap<string, Done>;
  /** The number of files that are neither a recording nor part of one. */
  readonly passed: number;
  /** A line for each input of which folders were left out. */
  readonly leftOut: readonly string[];
  /** The number of recordings that belong to other shards. */
  readonly elsewhere: number;
}

/** The inputs of a plan. */
export interface BatchRequest {
  readonly inputs: readonly string[];
  /** Absolute, or an address of S3. */
  readonly out: string;
  readonly settings: BatchSettings;
  readonly shard: Shard | undefined;
}

/** Finds the recordings, and which of them have results. Changes nothing. */
export async function planBatch({ inputs, out, settings, shard }: BatchRequest): Promise<Plan> {
  const { found: all, passed, leftOut = [] } = await findRecordings(inputs, out, settings.opening.maxSeconds);
  const asked = settings.opening.topic;
  const wanted = episodeIn(asked);
  const isMeant = (topic: string) =>
    wanted === undefined ? namesMeant(asked ?? "*", [topic]).length > 0 : episodeIn(topic) === wanted;
  const found = all.filter(({ topic }) => topic === undefined || isMeant(topic));
  const identity = identityOf(settings);
  const own = found.filter(({ key }) => !shard || inShard(key, shard));
  const jobs = own.map((one: FoundRecording): Job => ({ ...one, out, settings, identity, version: VERSION }));
  const done = new Map<string, Done>();
  const queue = jobs.values();
  const look = async () => {
    for (const job of queue) {
      const there = job.fault === undefined ? await readCurrent(job) : undefined;
      if (there) done.set(job.key, there);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return { jobs, done, passed, leftOut, elsewhere: found.length - own.length };
}
