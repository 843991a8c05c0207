import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginPlace, settle } from "../../run/batch/job/place.ts";
import type { Job } from "../../run/batch/job/types.ts";
import { type RecordingLine, RecordingLog } from "../../run/batch/log.ts";
import { openOut } from "../../run/batch/out.ts";
import { queueingAt } from "../../run/batch/queue/packages.ts";
import { serveQueue } from "../../run/batch/queue/serve.ts";
import { throughQueue } from "../../run/batch/queue/watch.ts";
import { identityOf } from "../../run/batch/settings.ts";
import { start } from "../cli/command.ts";
import { useFolder } from "../sources/fixtures.ts";
import { jobOf, PLAIN } from "./makers.ts";
import { freePort } from "./port.ts";
import { Redis, SERVER } from "./redis.ts";

// The queue by itself, with simulated work: failures, repeated jobs, other versions, and the cost of a job.

const disk = useFolder();
const DONE = { result: { figures: { frames: 3 } }, run: { seconds: 0.5, host: "x" } } as never;
const recordings = new RecordingLog(() => {});

async function jobsIn(name: string, count: number): Promise<Job[]> {
  const out = join(disk.root, name);
  await openOut(out, PLAIN, identityOf(PLAIN), false);
  return Array.from({ length: count }, (_, i) => jobOf(`in${i}`, out, `r${String(i).padStart(6, "0")}`));
}

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** The outcome of each job, the queue's counts, the logs, and the number of jobs that the worker did. */
async function worked(redis: Redis, jobs: readonly Job[], work: (job: Job) => Promise<void>, telemetry?: string) {
  const queueing = await queueingAt(redis.address, telemetry);
  const stop = new AbortController();
  const log: string[] = [];
  const lines: RecordingLine[] = [];
  const finished = new Set<string>();
  const serving = serveQueue(queueing, {
    ...{ atOnce: 1, signal: stop.signal, idleSeconds: undefined, log: (line: string) => log.push(line) },
    recordings: new RecordingLog((line) => lines.push(line)),
    async work(job) {
      await work(job);
      finished.add(job.key);
      return DONE;
    },
  });
  const ended: string[] = [];
  const counts = await throughQueue(queueing, jobs, {
    ...{ signal: stop.signal, priority: undefined, log: (line: string) => log.push(line), begun() {} },
    read: async ({ key }) => (finished.has(key) ? DONE : undefined),
    done: ({ key }) => ended.push(key),
    failed: ({ key }, reason) => ended.push(`${key}: ${reason}`),
  });
  stop.abort();
  return { ended: ended.sort(), counts, log, lines, done: await serving };
}

describe.skipIf(!SERVER)("a queue", () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await Redis.start();
  });
  afterAll(() => redis.end());

  test("does each job once, and tries a failed job once more before it reports the reason", async () => {
    const jobs = await jobsIn("each", 12);
    const tries: string[] = [];
    const { ended, counts, lines, done } = await worked(redis, jobs, async ({ key }) => {
      tries.push(key);
      const count = tries.filter((one) => one === key).length;
      if (key === "r000003" || (key === "r000005" && count === 1)) throw new Error("it broke");
    });
    expect(ended).toEqual(jobs.map(({ key }) => (key === "r000003" ? `${key}: it broke` : key)));
    expect(tries.sort()).toEqual([...jobs.map(({ key }) => key), "r000003", "r000005"].sort());
    expect([done, counts]).toMatchObject([11, { waiting: 0, active: 0, delayed: 0 }]);
    const told = (name: string) => lines.filter((line) => line.name === name);
    expect(told("r000003")).toMatchObject([
      { outcome: "retry", attempt: 1, frames: null, error: "it broke" },
      { outcome: "failed", attempt: 2, frames: null, error: "it broke" },
    ]);
    const after = { name: "r000005", outcome: "done", attempt: 2, seconds: 0.5, frames: 3, error: null };
    expect([told("r000005")[1], lines.length]).toEqual([after, 14]);
  });

  test("takes a failed job and a finished job again", async () => {
    const jobs = await jobsIn("again", 2);
    let broken = true;
    const work = async ({ key }: Job) => {
      if (broken && key === "r000001") throw new Error("it broke");
    };
    expect((await worked(redis, jobs, work)).ended).toEqual(["r000000", "r000001: it broke"]);
    broken = false;
    expect((await worked(redis, jobs, work)).ended).toEqual(["r000000", "r000001"]);
  });

  test("takes the result of a recording as it was before for no result", async () => {
    const [job] = (await jobsIn("stale", 1)) as [Job];
    const stop = new AbortController();
    const settled = async (stamp: string) => {
      const result = { recording: job.key, bytes: 1, version: "1", identity: job.identity, warnings: [] };
      const written = { files: 0, bytes: 0, sha256: "" };
      const run = { host: "x", finished: "", seconds: 1, peakMiB: 1, overBudget: null, stamp };
      const figures = { format: "x", frames: 3 } as never;
      return settle(job, await beginPlace(job), { result: { ...result, figures, written }, run });
    };
    const before = await settled("0");
    let tries = 0;
    const quiet = { recordings, log() {}, signal: stop.signal };
    const serving = serveQueue(await queueingAt(redis.address), {
      ...{ ...quiet, atOnce: 1, idleSeconds: undefined },
      // The first worker's result is lost.
      work: () => (++tries === 1 ? Promise.resolve(before) : settled(job.stamp)),
    });
    const stamps: string[] = [];
    await throughQueue(await queueingAt(redis.address), [job], {
      ...{ ...quiet, priority: undefined, begun() {}, failed() {} },
      done: (_, { run }) => stamps.push(run.stamp),
    });
    stop.abort();
    expect([stamps, await serving, tries]).toEqual([[job.stamp], 2, 2]);
  });

  test("takes back what waits when more than `maxFailed` recordings have failed", async () => {
    const jobs = await jobsIn("many", 9);
    const queueing = await queueingAt(redis.address);
    const { UnrecoverableError } = queueing.bull;
    const [stop, watched] = [new AbortController(), withResolvers()];
    const quiet = { recordings, log() {}, signal: stop.signal };
    const serving = serveQueue(await queueingAt(redis.address), {
      ...{ ...quiet, atOnce: 1, idleSeconds: undefined },
      async work({ key }) {
        // An error after which a queue does not try again.
        if (key < "r000002") throw new UnrecoverableError("it broke");
        await watched.promise;
        return DONE;
      },
    });
    const failed: string[] = [];
    const counts = await throughQueue(queueing, jobs, {
      ...{ ...quiet, priority: undefined, maxFailed: 1, read: async () => undefined, begun() {}, done() {} },
      failed: ({ key }) => failed.push(key),
    });
    stop.abort();
    watched.resolve();
    expect([failed, counts, await serving]).toMatchObject([["r000000", "r000001"], { waiting: 0 }, 1]);
  });

  test("is watched by the telemetry of a package", async () => {
    const own = disk.file(
      "telemetry.mjs",
      `const span = new Proxy({}, { get: () => () => {} });
      export const spans = [];
      export const telemetry = {
        tracer: { startSpan: (name) => (spans.push(name), span) },
        contextManager: { with: (_, work) => work(), active: () => ({}), getMetadata: () => "", fromMetadata: (one) => one },
      };`,
    );
    await worked(redis, await jobsIn("watched", 1), async () => {}, own);
    const { spans } = (await import(own)) as { readonly spans: readonly string[] };
    expect(spans.join("\n")).toMatch(/addBulk .*process/s);
    const none = queueingAt(redis.address, disk.file("none.mjs", "export default 5;"));
    await expect(none).rejects.toThrow(/none\.mjs: its export telemetry, or its default one, must be what BullMQ/);
  });

  test("leaves jobs of another version to workers of that version, and logs that they wait", async () => {
    const { bull, connect } = await queueingAt(redis.address);
    const connection = connect(() => {});
    const other = new bull.Queue("depthloom-9.9.9", { connection });
    await other.add("recording", {});
    const { log } = await worked(redis, await jobsIn("other", 1), async () => {});
    expect(log.join("\n")).toMatch(
      /recordings for depthloom 9\.9\.9 wait, too; this is .*, and leaves them to workers of that version/,
    );
    expect(await other.getWaitingCount()).toBe(1);
    await other.obliterate();
    await other.close();
    connection.disconnect();
  });
});

describe("without its server", () => {
  const serving = async (port: number, stop: AbortController, work: () => Promise<typeof DONE>) =>
    serveQueue(await queueingAt(`redis://127.0.0.1:${port}`), {
      ...{ atOnce: 1, signal: stop.signal, idleSeconds: undefined, recordings, log() {} },
      work,
    });

  test("a worker that never met one ends at once when it is told to", async () => {
    const stop = new AbortController();
    const served = serving(await freePort(), stop, async () => DONE);
    stop.abort();
    expect(await served).toBe(0);
  });
});

test.each(["localhost:6379", "http://localhost", "nowhere"])("the address of a queue cannot be %s", async (address) => {
  await expect(queueingAt(address)).rejects.toThrow(/a queue's address is redis:\/\/host:port/);
});

test("`worker` ends by a signal while its server is away", async () => {
  const { child, ended } = start(["worker", `redis://127.0.0.1:${await freePort()}`]);
  await new Promise<void>((resolve) => child.stderr?.once("data", () => resolve()));
  child.kill("SIGTERM");
  const { status, stderr } = await ended;
  expect(stderr).toMatch(/trying again\n.*\n0 recordings done\ndepthloom: interrupted after 0 recordings\n$/);
  expect(status).toBe(143);
});

test("`worker` without the packages bullmq and ioredis prints how to install them", async () => {
  const resolve = `export const resolve = async (name, context, next) => {
    if (name === "bullmq") throw Object.assign(new Error("no"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  }`;
  const hook = `data:text/javascript,${encodeURIComponent(resolve)}`;
  const code = `import { register } from "node:module"; register(${JSON.stringify(hook)});`;
  const without = ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
  const { status, stderr } = await start(["worker", "redis://127.0.0.1:1"], without).ended;
  expect(stderr).toBe("depthloom: a queue needs the packages bullmq and ioredis: npm install bullmq ioredis\n");
  expect(status).toBe(2);
});
