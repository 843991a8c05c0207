import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { workOn } from "../../run/batch/job/work.ts";
import { openOut } from "../../run/batch/out.ts";
import { planBatch } from "../../run/batch/plan.ts";
import type { BatchDocument } from "../../run/batch/report.ts";
import { type BatchSettings, identityOf } from "../../run/batch/settings.ts";
import { start } from "../cli/command.ts";
import { randomOf } from "../fault/mutate.ts";
import { LONG } from "../mode.ts";
import { useFolder } from "../sources/fixtures.ts";
import { PLAIN, writeFleet } from "./makers.ts";
import { Redis, SERVER } from "./redis.ts";
import { countIn, manifestOf, resultsOf } from "./results.ts";

// Many workers on one queue are killed and started again, and so is the queue's server: the results must be those of one machine.
// Five hundred recordings take an hour, so that only `npm run soak:batch` runs this test.

const disk = useFolder();
const [COUNT, BROKEN, WORKERS, KILLS] = [500, 10, 8, 20];
const WRITES = ["--to", "mcap", "--stages", "median"];

test.skipIf(!SERVER || !LONG)(
  `${WORKERS} workers with ${KILLS} kills and a killed server give one machine's results for ${COUNT} recordings`,
  async () => {
    const fleet = join(disk.root, "fleet");
    const { keys, damaged } = writeFleet(fleet, COUNT, BROKEN);
    const [here, there] = [join(disk.root, "here"), join(disk.root, "there")];
    const hereFailed = await workHere(fleet, here);
    expect(hereFailed).toEqual(damaged);

    const redis = await Redis.start();
    onTestFinished(() => redis.end());
    const random = randomOf(26);
    const workers = Array.from({ length: WORKERS }, () => start(["worker", redis.address, "--jobs", "1"]));
    const moments = Array.from({ length: KILLS }, () => random(keys.length)).sort((a, b) => a - b);
    const restartAt = keys.length >> 1;
    const firstSeen = new Map<string, string>();
    const began = performance.now();
    const batch = start(["batch", fleet, "--out", there, ...WRITES, "--json", "--queue", redis.address]);
    let over = false;
    const ended = batch.ended.finally(() => {
      over = true;
    });
    const killed = [];
    let restarted = false;
    while (!over) {
      const count = countIn(there);
      if (moments.length > 0 && count >= (moments[0] ?? 0)) {
        moments.shift();
        const which = random(WORKERS);
        const victim = workers[which];
        victim?.child.kill("SIGKILL");
        killed.push(victim?.ended);
        workers[which] = start(["worker", redis.address, "--jobs", "1"]);
        note(there, firstSeen);
      }
      if (!restarted && count >= restartAt) {
        restarted = true;
        await redis.kill();
        await redis.run();
      }
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
    const seconds = (performance.now() - began) / 1000;
    const { status, stdout, stderr } = await ended;
    for (const { child } of workers) child.kill("SIGTERM");
    const graceful = await Promise.all(workers.map((worker) => worker.ended));
    await Promise.all(killed);
    expect(graceful.map((worker) => worker.status)).toEqual(workers.map(() => 143));
    const document = JSON.parse(stdout) as BatchDocument;
    expect([status, document.counts], stderr).toMatchObject([
      1,
      { found: COUNT, done: keys.length, failed: BROKEN, left: 0 },
    ]);
    expect(document.failed.map(({ recording }) => recording)).toEqual(damaged);
    expect(document.queue).toMatchObject({ waiting: 0, delayed: 0 });
    expect([restarted, moments]).toEqual([true, []]);
    expect(Object.keys(resultsOf(there))).toEqual(keys);
    expect(resultsOf(there)).toEqual(resultsOf(here));
    expect(manifestOf(there)).toBe(
      Object.keys(resultsOf(here))
        .map((key) => readFileSync(join(here, "recordings", key, "result.json"), "utf8"))
        .join(""),
    );
    // Results that were complete when a worker was killed are the final ones: no complete result was computed again.
    for (const [run, text] of firstSeen) expect(readFileSync(run, "utf8")).toBe(text);
    console.log(
      `${WORKERS} workers, ${KILLS} kills, one restart ${seconds.toFixed(0)} s; ${firstSeen.size} results seen before their end`,
    );
  },
);

/** Works on all recordings in this process, one after the other. Returns those that failed. */
async function workHere(fleet: string, out: string): Promise<string[]> {
  const settings: BatchSettings = { ...PLAIN, to: "mcap", stages: ["median"] };
  await openOut(out, settings, identityOf(settings), false);
  const failed: string[] = [];
  for (const job of (await planBatch({ inputs: [fleet], out, settings, shard: undefined })).jobs)
    await workOn(job).catch(() => failed.push(job.key));
  return failed;
}

/** Keeps the run.json of each finished recording, as first seen. */
function note(out: string, seen: Map<string, string>): void {
  for (const key of Object.keys(resultsOf(out))) {
    const run = join(out, "recordings", key, "run.json");
    if (!seen.has(run)) seen.set(run, readFileSync(run, "utf8"));
  }
}
