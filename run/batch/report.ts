import { at, writeAt } from "./job/files.ts";
import type { Job } from "./job/types.ts";
import { writeTable } from "./quality/files.ts";
import { judged, type Requirement } from "./quality/require.ts";
import { failedRow, type Row, recordingOf, rowOf } from "./quality/row.ts";
import { identityOf, VERSION } from "./settings.ts";
import type { Shard } from "./shard.ts";
import type { Counts, Tally } from "./tally.ts";

/** The document of `--json`. */
export interface BatchDocument {
  readonly out: string;
  readonly version: string;
  readonly identity: string | null;
  readonly shard: { readonly index: number; readonly count: number } | null;
  readonly counts: Counts & { readonly short: number; readonly warned: number; readonly passedOver: number };
  readonly failed: readonly { readonly recording: string; readonly reason: string }[];
  readonly short: readonly { readonly recording: string; readonly of: string }[];
  /** The counts of the queue's jobs by their state, where there is a queue. */
  readonly queue?: Readonly<Record<string, number>>;
}

/** The part of the file names of table and manifest that distinguishes shards. */
const partOf = (shard: Shard | undefined) => (shard ? `.${shard.index + 1}-of-${shard.count}` : "");

/** The table's rows of finished recordings, in the order of the recordings. */
export function rowsOf({ jobs, outcomes }: Pick<Tally, "jobs" | "outcomes">, require: readonly Requirement[]): Row[] {
  return jobs.flatMap((job) => {
    const outcome = outcomes.get(job.key);
    if (!outcome) return [];
    const recording = recordingOf(job);
    return judged("done" in outcome ? rowOf(recording, outcome.done) : failedRow(recording, outcome.reason), require);
  });
}

/**
 * Writes the manifest (a line per result as in its folder, with hashes) and the quality table, both of the finished recordings; the next
 * run writes them again. Returns the path of the table's page.
 */
export async function writeReport(
  out: string,
  shard: Shard | undefined,
  { jobs, outcomes }: Tally,
  rows: readonly Row[],
): Promise<string> {
  const lines = jobs.flatMap(({ key }) => {
    const outcome = outcomes.get(key);
    return outcome && "done" in outcome ? `${JSON.stringify(outcome.done.result)}\n` : [];
  });
  await writeAt(at(out, `manifest${partOf(shard)}.jsonl`), lines.join(""));
  return writeTable(out, partOf(shard), rows);
}

/** The fields of the document besides the recordings. */
export interface Documented {
  readonly out: string;
  readonly shard: Shard | undefined;
  readonly passed: number;
  readonly queue?: BatchDocument["queue"] | undefined;
}

/** The exit status of a run that nobody interrupted. `mostFailed`: how many recordings may fail. */
export function statusOf({ counts, short }: Pick<BatchDocument, "counts" | "short">, mostFailed = Infinity): number {
  if (counts.failed > 0 && counts.done + counts.left === 0) return 4;
  if (counts.failed > mostFailed) return 5;
  if (counts.failed > 0 || counts.left > 0) return 1;
  return short.length > 0 ? 3 : 0;
}

export function documentOf(
  { out, shard, passed, queue }: Documented,
  { jobs, counts }: Tally,
  rows: readonly Row[],
): BatchDocument {
  const [first]: readonly (Job | undefined)[] = jobs;
  const of = (state: Row["state"]) => rows.filter((row) => row.state === state);
  return {
    out,
    version: VERSION,
    identity: first ? identityOf(first.settings) : null,
    shard: shard ? { index: shard.index, count: shard.count } : null,
    counts: { ...counts, short: of("short").length, warned: of("warned").length, passedOver: passed },
    failed: of("failed").map(({ recording, why }) => ({ recording, reason: why })),
    short: of("short").map(({ recording, why }) => ({ recording, of: why })),
    ...(queue && { queue }),
  };
}
