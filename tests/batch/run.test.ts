import { expect, test } from "vitest";
import { most } from "../../cli/fleetOptions.ts";
import type { Done, Job } from "../../run/batch/job/types.ts";
import { type BatchDocument, statusOf } from "../../run/batch/report.ts";
import { atOnceHere, runAll } from "../../run/batch/run.ts";
import { Tally } from "../../run/batch/tally.ts";
import { turns } from "../turns.ts";
import { jobOf } from "./makers.ts";

// runAll and Tally: order, failures, an abort, and the line of progress.

const jobs = (count: number): Job[] =>
  Array.from({ length: count }, (_, i) => ({ ...jobOf("in", "out", `r${i}`), bytes: 1e6 }));
const DONE = { result: {}, run: {} } as unknown as Done;

/** Runs all jobs, one at a time unless `how` says otherwise, and counts them. */
async function ran(all: readonly Job[], work: (job: Job) => Promise<Done>, how: object = {}): Promise<Tally> {
  const tally = new Tally(all, new Map());
  await runAll(all, {
    ...{ atOnce: 1, work, signal: new AbortController().signal },
    begun: (job) => tally.begun(job),
    done: (job, done) => tally.done(job, done),
    failed: (job, reason, again) => tally.failed(job, reason, again),
    ...how,
  });
  return tally;
}

test("runAll runs `atOnce` jobs at a time, each once", async () => {
  const all = jobs(20);
  let [running, most] = [0, 0];
  const worked: string[] = [];
  const work = async ({ key }: Job) => {
    most = Math.max(most, ++running);
    worked.push(key);
    await turns(3);
    running--;
    return DONE;
  };
  const tally = await ran(all, work, { atOnce: 3 });
  expect([most, worked]).toEqual([3, all.map(({ key }) => key)]);
  expect(tally.counts).toEqual({ found: 20, done: 20, before: 0, failed: 0, running: 0, left: 0 });
});

test("runAll tries a failed job once more, after all others, and goes on", async () => {
  const all = jobs(5);
  const log: string[] = [];
  const tries = new Map<string, number>();
  const work = async ({ key }: Job) => {
    const count = (tries.get(key) ?? 0) + 1;
    tries.set(key, count);
    log.push(key);
    if (key === "r1" || (key === "r3" && count === 1)) throw new Error(`${key} broke`);
    return DONE;
  };
  const tally = await ran(all, work);
  expect(log).toEqual(["r0", "r1", "r2", "r3", "r4", "r1", "r3"]);
  expect(tally.outcomes.get("r1")).toEqual({ reason: "r1 broke" });
  expect(tally.counts).toMatchObject({ done: 4, failed: 1, left: 0 });
});

test("runAll begins no further job when more than `maxFailed` have failed, and tries none of them again", async () => {
  const all = jobs(9);
  const log: string[] = [];
  const work = async ({ key }: Job) => {
    log.push(key);
    if (Number(key.slice(1)) % 2 === 1) throw new Error(`${key} broke`);
    return DONE;
  };
  const tally = await ran(all, work, { maxFailed: 1 });
  expect(log).toEqual(["r0", "r1", "r2", "r3"]);
  expect(tally.counts).toMatchObject({ done: 2, failed: 2, running: 0, left: 5 });
});

test.each([
  [{ failed: 20, done: 0, left: 0 }, 0, 4],
  [{ failed: 11, done: 9, left: 0 }, 0, 5],
  [{ failed: 11, done: 0, left: 4 }, 0, 5],
  [{ failed: 1, done: 0, left: 4 }, 0, 1],
  [{ failed: 10, done: 9, left: 0 }, 1, 1],
  [{ failed: 0, done: 1, left: 1 }, 1, 1],
  [{ failed: 0, done: 2, left: 0 }, 1, 3],
  [{ failed: 0, done: 2, left: 0 }, 0, 0],
])("the exit status of %j with %i short is %i, where 10 may fail", (counts, short, status) => {
  expect(statusOf({ counts, short: new Array(short).fill({}) } as unknown as BatchDocument, 10)).toBe(status);
});

test.each([
  ["0", 0],
  ["12", 12],
  ["2.4%", 5],
  ["7%", 14],
  ["55%", 110],
])("--max-failed %s is %i of 200 recordings", (text, count) => {
  expect(most(text).of(200)).toBe(count);
});

test("runAll begins no job after an abort, and does not count the aborted job as failed", async () => {
  const all = jobs(6);
  const stop = new AbortController();
  const work = async ({ key }: Job) => {
    if (key === "r2") stop.abort();
    await turns(2);
    if (stop.signal.aborted) throw new Error("ended");
    return DONE;
  };
  const tally = await ran(all, work, { signal: stop.signal });
  expect(tally.counts).toMatchObject({ done: 2, failed: 0, left: 4 });
});

const GIB = 2 ** 30;
test.each([
  [undefined, 8, 64 * GIB, 8],
  [undefined, 64, 16 * GIB, 12],
  [4096, 8, 16 * GIB, 3],
  [undefined, 8, 0.5 * GIB, 1],
])("atOnceHere with --max-megabytes %s, %i cores and %i bytes free is %i", (most, cores, free, wanted) => {
  expect(atOnceHere(most, cores, free)).toBe(wanted);
});
