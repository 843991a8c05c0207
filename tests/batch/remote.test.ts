import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openRecording } from "../../sources/index.ts";
import { findRecordings } from "../../viewer/batch/find/find.ts";
import { workOn } from "../../viewer/batch/job/work.ts";
import { openOut } from "../../viewer/batch/out.ts";
import { planBatch } from "../../viewer/batch/plan.ts";
import { rowsOf } from "../../viewer/batch/report.ts";
import { identityOf } from "../../viewer/batch/settings.ts";
import { Tally } from "../../viewer/batch/tally.ts";
import { files } from "../fault/healthy.ts";
import { useFolder } from "../sources/fixtures.ts";
import { jobOf, PLAIN } from "./makers.ts";
import { freePort } from "./port.ts";
import { serveFiles } from "./storage.ts";

// Recordings on a server: read by ranges over HTTP, as with presigned addresses, and from S3.

const disk = useFolder();
const storage = await serveFiles();
const known = files.filter(([name]) => /^(plain|lz4|a)\.(mcap|bag|db3|mkv|sens|oni)$/.test(name));
for (const [name, bytes] of known) storage.files.set(`bucket/day 1/${name}`, bytes);
storage.files.set("bucket/day 1/notes.txt", new Uint8Array(3));

const before = { ...process.env };
Object.assign(process.env, {
  ...{ AWS_ENDPOINT_URL_S3: storage.address, AWS_REGION: "eu-central-1" },
  ...{ AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_REQUEST_CHECKSUM_CALCULATION: "WHEN_REQUIRED" },
});
afterAll(() => {
  process.env = before;
});
const web = (name: string) => `${storage.address}/bucket/day%201/${name}`;

async function depthOf(input: string | File) {
  const recording = await openRecording(input);
  try {
    const frames = await Promise.all(Array.from({ length: recording.length }, (_, i) => recording.read(i)));
    return frames.map(({ depth, timestamp }) => [timestamp, ...depth.data]);
  } finally {
    await recording.close();
  }
}

test.each(known)("openRecording reads %s over HTTP and from S3 as from a file", async (name, bytes) => {
  const wanted = await depthOf(new File([new Uint8Array(bytes)], name));
  expect(await depthOf(`${web(name)}?signature=secret`)).toEqual(wanted);
  expect(await depthOf(`s3://bucket/day 1/${name}`)).toEqual(wanted);
});

test("findRecordings finds HTTP addresses and recordings below an S3 prefix, and workOn works on them", async () => {
  const out = join(disk.root, "out");
  const { found, passed } = await findRecordings([`${web("a.mkv")}?signature=secret`, "s3://bucket/day 1/"], out);
  const host = storage.address.replace("http://", "");
  const s3 = known.map(([name]) => `remote/bucket/day 1/${name}`);
  expect(found.map(({ key }) => key).sort()).toEqual([`remote/${host}/bucket/day 1/a.mkv`, ...s3].sort());
  expect([passed, found.every(({ bytes }) => bytes > 0)]).toEqual([1, true]);
  await openOut(out, PLAIN, identityOf(PLAIN), false);
  for (const { key, input } of found.slice(0, 2)) {
    const { result } = await workOn(jobOf(input, out, key));
    expect(JSON.stringify(result)).not.toContain("secret");
    expect(result.figures.frames).toBe(2);
  }
});

test("an address where nothing lies, or that nobody answers, is a recording with a fault beside the others", async () => {
  const nobody = `http://127.0.0.1:${await freePort()}/x.bag`;
  const inputs = [web("none.bag"), nobody, "s3://bucket/empty/", web("a.mkv"), `${web("a.mkv")}?id=2`];
  const out = join(disk.root, "faults");
  const plan = await planBatch({ inputs, out, settings: PLAIN, shard: undefined });
  const faults = plan.jobs.filter(({ fault }) => fault !== undefined);
  expect(faults.map(({ fault }) => fault?.match(/ECONNREFUSED|404|nothing lies there/)?.[0]).sort()).toEqual([
    ...["404", "ECONNREFUSED", "nothing lies there"],
  ]);
  expect(plan.jobs).toHaveLength(5);
  const tally = new Tally(plan.jobs, plan.done);
  expect(tally.counts).toMatchObject({ found: 5, failed: 3, left: 2 });
  expect(rowsOf(tally, []).map(({ state }) => state)).toEqual(["failed", "failed", "failed"]);
});
