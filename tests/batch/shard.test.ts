import { describe, expect, test } from "vitest";
import { inShard, shardOf } from "../../run/batch/shard.ts";

// Shards: which machine works on which recording.

const keys = Array.from({ length: 800 }, (_, i) => `day${i % 11}/recording ${i}.bag`);

test.each([1, 3, 8])("inShard puts each recording into one of %i shards of about equal size", (count) => {
  const shards = Array.from({ length: count }, (_, index) =>
    keys.filter((key) => inShard(key, { index, count, from: "" })),
  );
  expect(shards.flat().sort()).toEqual([...keys].sort());
  const mean = keys.length / count;
  // The sizes have a binomial distribution: a deviation of more than five standard deviations would be no chance.
  for (const shard of shards) expect(Math.abs(shard.length - mean)).toBeLessThan(5 * Math.sqrt(mean) + 1);
});

describe("shardOf", () => {
  const slurm = {
    SLURM_ARRAY_TASK_ID: "5",
    SLURM_ARRAY_TASK_MIN: "1",
    SLURM_ARRAY_TASK_MAX: "9",
    SLURM_ARRAY_TASK_STEP: "2",
  };
  test.each([
    ["2/8", {}, 1, 8],
    ["8/8", { JOB_COMPLETION_INDEX: "3" }, 7, 8],
    ["/8", { JOB_COMPLETION_INDEX: "3" }, 3, 8],
    [undefined, { ...slurm, SLURM_ARRAY_TASK_COUNT: "5" }, 2, 5],
    [undefined, { AWS_BATCH_JOB_ARRAY_INDEX: "0", AWS_BATCH_JOB_ARRAY_SIZE: "4" }, 0, 4],
  ])("reads --shard %s with the environment %j as index %i of %i", (text, environment, index, count) => {
    expect(shardOf(text, environment)).toMatchObject({ index, count });
  });

  test("gives undefined without --shard and without a job array's variables", () => {
    expect(shardOf(undefined, { PATH: "x" })).toBeUndefined();
  });

  test.each([
    ["8", {}, /shard 8: it must be i\/n/],
    ["0/8", {}, /there is no part 0 of 8/],
    ["9/8", {}, /there is no part 9 of 8/],
    ["/8", {}, /none of JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX is set/],
    [undefined, { JOB_COMPLETION_INDEX: "1" }, /nothing tells how many parts there are/],
    [undefined, { ...slurm, SLURM_ARRAY_TASK_COUNT: "3" }, /the array's numbers have gaps \(1 to 9, 3 of them\)/],
    ["/4", { AWS_BATCH_JOB_ARRAY_INDEX: "4" }, /there is no part 5 of 4/],
  ])("refuses --shard %s with the environment %j", (text, environment, message) => {
    expect(() => shardOf(text, environment)).toThrow(message);
  });
});
