import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { findRecordings } from "../../run/batch/find/find.ts";
import { readDone } from "../../run/batch/job/place.ts";
import { putFolder } from "../../run/batch/job/s3.ts";
import { workOn } from "../../run/batch/job/work.ts";
import { openOut } from "../../run/batch/out.ts";
import { planBatch } from "../../run/batch/plan.ts";
import { rowsOf } from "../../run/batch/report.ts";
import { identityOf } from "../../run/batch/settings.ts";
import { Tally } from "../../run/batch/tally.ts";
import { openRecording } from "../../sources/index.ts";
import { files } from "../fault/healthy.ts";
import { useFolder } from "../sources/fixtures.ts";
import { jobOf, PLAIN } from "./makers.ts";
import { SECRET, serveFiles } from "./storage.ts";

// Recordings on a server: read by ranges over HTTP, as with presigned addresses, and from S3.

const disk = useFolder();
const storage = await serveFiles();
const known = files.filter(([name]) => /^(plain|lz4|a)\.(mcap|bag|db3|mkv|sens|oni)$/.test(name));
for (const [name, bytes] of known) storage.files.set(`bucket/day 1/${name}`, bytes);
storage.files.set("bucket/day 1/notes.txt", new Uint8Array(3));

vi.stubEnv("AWS_ENDPOINT_URL_S3", storage.address);
vi.stubEnv("AWS_REGION", "eu-central-1");
vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
vi.stubEnv("AWS_SECRET_ACCESS_KEY", SECRET);
vi.stubEnv("AWS_REQUEST_CHECKSUM_CALCULATION", "WHEN_REQUIRED");
afterAll(() => void vi.unstubAllEnvs());
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
  const nobody = "http://127.0.0.1:2/x.bag"; // a port of the system that nobody listens on: a free one may be taken by another test
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

describe("results in a bucket", () => {
  const settings = { ...PLAIN, to: "mcap" } as const;
  const input = disk.folder({ "a.mcap": known.find(([name]) => name === "plain.mcap")?.[1] ?? "" }, "in");
  const out = "s3://results/of day 1";
  const request = { inputs: [input], out, settings, shard: undefined };
  const below = () => [...storage.files.keys()].filter((path) => path.startsWith("results/")).sort();
  const names = ["recording.mcap", "result.json", "run.json", "thumbnail.png"];
  const whole = names.map((name) => `results/of day 1/recordings/a.mcap/${name}`);
  const jobIn = async () => {
    const { jobs, done } = await planBatch(request);
    return { job: jobs[0] ?? jobOf("", "", ""), done: done.size };
  };

  test("are those that a folder has, are found again, and are made anew where a file is missing", async () => {
    await openOut(out, settings, identityOf(settings), false);
    await expect(openOut(out, PLAIN, identityOf(PLAIN), false)).rejects.toThrow(/holds results of other settings/);
    const { job } = await jobIn();
    await workOn(job);
    expect(below()).toEqual(["results/of day 1/batch.json", ...whole]);
    const here = { ...job, out: join(disk.root, "here") };
    await openOut(here.out, settings, identityOf(settings), false);
    const { result } = await workOn(here);
    expect((await readDone(job))?.result).toEqual(result);
    expect((await jobIn()).done).toBe(1);
    storage.files.delete(whole[0] ?? "");
    expect((await jobIn()).done).toBe(0);
    await workOn(job);
    expect((await jobIn()).done).toBe(1);
  });

  test("are none while files are replaced, and after that has failed", async () => {
    const { job } = await jobIn();
    await openOut(out, settings, identityOf(settings), false);
    storage.refuses = (write) => write.endsWith("PUT results/of day 1/recordings/a.mcap/result.json");
    await expect(workOn(job)).rejects.toThrow(/result\.json: it must not be written with these keys/);
    storage.refuses = () => false;
    expect([below(), (await jobIn()).done]).toEqual([expect.not.arrayContaining([whole[2]]), 0]);
  });

  test("of more than 16 MiB go in parts, and leave none behind that fail", async () => {
    const bytes = new Uint8Array((1 << 24) + 5).map((_, i) => i * 7);
    const folder = () => disk.folder({ "large.bin": bytes, "last.json": "{}" });
    const put = () => putFolder(folder(), ["large.bin", "last.json"], "s3://results/large", "last.json");
    await put();
    expect(Buffer.compare(storage.files.get("results/large/large.bin") ?? new Uint8Array(), bytes)).toBe(0);
    expect(storage.writes.slice(-5).map((line) => line.split(" ")[0])).toEqual(["POST", "PUT", "PUT", "POST", "PUT"]);
    const before = storage.files.get("results/large/large.bin");
    storage.refuses = (write) => write.startsWith("PUT");
    await expect(put()).rejects.toThrow(/must not be written/);
    storage.refuses = () => false;
    expect([storage.uploads.size, storage.files.get("results/large/large.bin") === before]).toEqual([0, true]);
    expect(storage.files.has("results/large/last.json")).toBe(false);
  });

  test("lie in no prefix that is an input", async () => {
    const wrong = findRecordings(["s3://results/"], out);
    await expect(wrong).rejects.toThrow(/results never go where the input is/);
  });
});
