import { readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { placeOf, readDone, UNFINISHED } from "../../run/batch/job/place.ts";
import type { Job } from "../../run/batch/job/types.ts";
import { workOn } from "../../run/batch/job/work.ts";
import { openOut } from "../../run/batch/out.ts";
import { planBatch } from "../../run/batch/plan.ts";
import { wholeJob } from "../../run/batch/queue/jobs.ts";
import { type BatchSettings, identityOf } from "../../run/batch/settings.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { PLAIN } from "./makers.ts";

// A result in its folder: whether it is still the one that was written, and that it never takes the place of another one.

const disk = useFolder();
const recording = join(disk.root, "room");
await writePngFolder(syntheticRoom({ width: 16, height: 12, frames: 2 }), recording, { truth: false });

const edited = (path: string, from: RegExp, to: string) =>
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to));

let outs = 0;
const planned = async ({ job }: { job: Job }) =>
  (await planBatch({ inputs: [recording], out: job.out, settings: job.settings, shard: undefined })).done.size;
const asPlanned = async (settings: Partial<BatchSettings> = {}) => {
  const all = { ...PLAIN, ...settings };
  const out = join(disk.root, `out${outs++}`);
  await openOut(out, all, identityOf(all), false);
  const [job] = (await planBatch({ inputs: [recording], out, settings: all, shard: undefined })).jobs;
  if (!job) throw new Error("no job");
  await workOn(job);
  return { job, place: placeOf(job) };
};

test.each<[string, (place: string) => void]>([
  ["emptied", (place) => void readdirSync(place).map((name) => rmSync(join(place, name)))],
  ["cut", (place) => truncateSync(join(place, "recording.mcap"), 100)],
  [
    "changed in a byte, with its old time",
    (place) => {
      const path = join(place, "recording.mcap");
      const { atime, mtime } = statSync(path);
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(path, bytes);
      utimesSync(path, atime, mtime);
    },
  ],
  ["without its thumbnail", (place) => rmSync(join(place, "thumbnail.png"))],
  ["whose result.json is damaged", (place) => writeFileSync(join(place, "result.json"), '{"warnings": 5}')],
  ["whose warnings are a text", (place) => edited(join(place, "result.json"), /"warnings":\[.*?\]/, '"warnings":"x"')],
  ["whose run.json is cut", (place) => truncateSync(join(place, "run.json"), 20)],
])("a result %s is not done before, and is made again with the same bytes", async (_, damage) => {
  const made = await asPlanned({ to: "mcap", frames: 2 });
  const [before, hash] = [
    readFileSync(join(made.place, "recording.mcap")),
    readFileSync(join(made.place, "result.json")),
  ];
  expect(await planned(made)).toBe(1);
  damage(made.place);
  expect(await planned(made)).toBe(0);
  await workOn(made.job);
  expect(await planned(made)).toBe(1);
  expect(readFileSync(join(made.place, "recording.mcap")).equals(before)).toBe(true);
  expect(readFileSync(join(made.place, "result.json")).equals(hash)).toBe(true);
  expect(readdirSync(join(made.job.out, UNFINISHED))).toEqual([]);
});

test("a result is written to the disk, file by file and folder by folder, before it has its name", async () => {
  const file = await open(recording, "r");
  const handle = Object.getPrototypeOf(file) as { sync(): Promise<void> };
  await file.close();
  const sync = vi.spyOn(handle, "sync");
  const { place } = await asPlanned({ to: "png", frames: 2 });
  const files = readdirSync(place, { recursive: true }).length;
  // All files but result.json and run.json, which are written so, and the folders, the results' own one twice.
  expect(sync.mock.calls.length).toBeGreaterThanOrEqual(files - 2 + 3);
  sync.mockRestore();
});

test("a result never takes the place of another recording's, above or below it", async () => {
  const { job } = await asPlanned();
  for (const key of [`${job.key}/below`, `${job.key}/below/deeper`])
    await expect(workOn({ ...job, key })).rejects.toThrow(/would lie in each other/);
  const deep = { ...job, key: "far/below" };
  await workOn(deep);
  await expect(workOn({ ...job, key: "far" })).rejects.toThrow(/far: its result and that of far\/below/);
  expect([await planned({ job }), await readDone(deep)]).toEqual([1, expect.anything()]);
});

test.each(["", ".", "..", "../recordings", "a/../.."])(
  "is not made, nor is any deleted, for the key %j",
  async (key) => {
    const made = await asPlanned();
    const { settings: _, version: __, ...queued } = { ...made.job, key };
    await expect(wholeJob(queued)).rejects.toThrow(/names no folder below the results/);
    await expect(workOn({ ...made.job, key })).rejects.toThrow(/names no folder below the results/);
    expect(await planned(made)).toBe(1);
  },
);

test.each([undefined, null, {}, "x", { key: "a", out: "relative" }])("wholeJob refuses %j", async (data) => {
  await expect(wholeJob(data)).rejects.toThrow(
    /the queue holds something that "depthloom batch --queue" has not written/,
  );
});
