import { createHash } from "node:crypto";
import { RequestError, type RunOption, refused } from "../report/failure.ts";

/** One of `count` parts of the recordings; `index` counts from 0. */
export interface Shard {
  readonly index: number;
  readonly count: number;
  /** The option or the variable that asks for this part, for messages. */
  readonly from: string;
}

/**
 * Whether a recording belongs to a shard: by the first 48 bits of the SHA-256 of its key, modulo the number of shards. So each recording
 * belongs to one shard, the same on every machine, whatever other recordings there are.
 */
export function inShard(key: string, { index, count }: Shard): boolean {
  return createHash("sha256").update(key).digest().readUIntBE(0, 6) % count === index;
}

/** An environment that numbers the parts of a job, from `first`. */
interface Numbering {
  readonly index: string;
  readonly count?: string;
  readonly first?: string;
  readonly last?: string;
  readonly step?: string;
}

const NUMBERINGS: readonly Numbering[] = [
  { index: "JOB_COMPLETION_INDEX" },
  {
    index: "SLURM_ARRAY_TASK_ID",
    count: "SLURM_ARRAY_TASK_COUNT",
    first: "SLURM_ARRAY_TASK_MIN",
    last: "SLURM_ARRAY_TASK_MAX",
    step: "SLURM_ARRAY_TASK_STEP",
  },
  { index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE" },
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The shard that the option names ("2/8": the second of eight; "/8": one of eight, the environment says which), or else that the
 * environment of an Indexed Job of Kubernetes, an array of Slurm or an array job of AWS Batch names; `undefined` where neither does. Throws
 * a `RequestError` for a text that is no shard, and where an environment numbers the parts and does not tell how many they are.
 */
export function shardOf(text: string | undefined, environment: Environment): Shard | undefined {
  if (text === undefined) return shardIn(environment);
  const [, index, count] = text.match(/^(\d*)\/(\d+)$/) ?? [];
  if (count === undefined || index === undefined)
    throw refused("shard", text, "it must be i/n, such as 2/8, or /n where the environment numbers the parts");
  if (index !== "") return checked({ index: Number(index) - 1, count: Number(count), from: `shard ${text}` }, "shard");
  const numbered = NUMBERINGS.find((one) => environment[one.index] !== undefined);
  if (!numbered)
    throw refused(
      "shard",
      text,
      `none of ${NUMBERINGS.map((one) => one.index).join(", ")} is set; give the part's number, from 1, before the "/"`,
    );
  return checked({ index: indexIn(numbered, environment), count: Number(count), from: numbered.index });
}

function shardIn(environment: Environment): Shard | undefined {
  const numbered = NUMBERINGS.find((one) => environment[one.index] !== undefined);
  if (!numbered) return undefined;
  const { index: from } = numbered;
  const count = numbered.count === undefined ? undefined : environment[numbered.count];
  if (count === undefined)
    throw new RequestError(`${from} numbers this part, and nothing tells how many parts there are`, "shard");
  return checked({ index: indexIn(numbered, environment), count: Number(count), from });
}

/** The part's number from 0. Throws where an array's numbers have other gaps than its step. */
function indexIn({ index, count, first, last, step }: Numbering, environment: Environment): number {
  const of = (name: string | undefined, otherwise: number) => Number((name && environment[name]) ?? otherwise);
  const [from, by] = [of(first, 0), of(step, 1)];
  const parts = of(count, 1);
  if (last && of(last, from + (parts - 1) * by) !== from + (parts - 1) * by)
    throw new RequestError(
      `${index}: the array's numbers have gaps (${from} to ${of(last, 0)}, ${parts} of them): number it 0-${parts - 1}`,
      "shard",
    );
  return (of(index, 0) - from) / by;
}

function checked(shard: Shard, option?: RunOption): Shard {
  const { index, count, from } = shard;
  if (Number.isInteger(index) && Number.isInteger(count) && index >= 0 && index < count) return shard;
  throw new RequestError(`${from}: there is no part ${index + 1} of ${count}`, undefined, option);
}
