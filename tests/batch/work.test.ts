import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { countValid } from "../../core/frame.ts";
import { placeOf, readDone, UNFINISHED } from "../../run/batch/job/place.ts";
import { workOn } from "../../run/batch/job/work.ts";
import { openOut } from "../../run/batch/out.ts";
import { type BatchSettings, identityOf } from "../../run/batch/settings.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { replayHere, requestOf } from "../cli/replayHere.ts";
import { depthHash, depthPng, depthValues, tumContents, useFolder } from "../sources/fixtures.ts";
import { jobOf, PLAIN } from "./makers.ts";

// The result of one recording: its contents, the same bytes each time, and no files after a failure.

const disk = useFolder();
const COUNT = 9;
const room = syntheticRoom({ width: 64, height: 48, frames: COUNT, cameraMotion: "sway" });
const recording = join(disk.root, "room");
await writePngFolder(room, recording, { truth: false });

let outs = 0;
async function worked(settings: Partial<BatchSettings> = {}, input = recording) {
  const all = { ...PLAIN, ...settings };
  const out = join(disk.root, `out${outs++}`);
  await openOut(out, all, identityOf(all), false);
  const job = jobOf(input, out, "a/room", all);
  const done = await workOn(job);
  return { job, done, place: placeOf(job) };
}

test("workOn without --to measures the frames and writes only result.json, run.json and a thumbnail", async () => {
  const { done, place } = await worked();
  expect(readdirSync(place).sort()).toEqual(["result.json", "run.json", "thumbnail.png"]);
  const { figures } = done.result;
  expect(figures).toMatchObject({ format: "png", width: 64, height: 48, frames: COUNT, colour: 1 });
  expect(figures).toMatchObject({ unreadable: 0, dropped: 0 });
  const all = await Promise.all(Array.from({ length: COUNT }, (_, i) => room.read(i)));
  const valid = all.reduce((sum, { depth }) => sum + depth.data.filter((value) => value > 0).length, 0);
  const ever = all[0]?.depth.data.filter((_, i) => all.some(({ depth }) => depth.data[i] > 0)).length ?? 0;
  expect(figures.valid).toBeCloseTo(valid / (COUNT * 64 * 48), 3);
  expect(figures.fill).toBeCloseTo(valid / (COUNT * ever), 3);
  expect(figures.flying).toBeGreaterThan(0);
});

test.each([
  ["mcap", "recording.mcap"],
  ["png", "recording"],
] as const)("workOn with --to %s writes all frames in one unit that holds the farthest depth", async (to, name) => {
  const wall = (farthest: number) => depthPng(depthValues(0).map((_, i) => (i === 17 ? farthest : 1000 + i)));
  const frames = { "depth/0.png": wall(1300), "depth/1.png": wall(20_000), "depth/2.png": wall(1300) };
  const { place } = await worked({ to, stages: ["bilateralGrid"] }, disk.folder(frames));
  const written = await disk.open(join(place, name));
  const far = await Promise.all([0, 1, 2].map((i) => written.read(i)));
  expect(far.map(({ metresPerUnit }) => metresPerUnit)).toEqual([0.0005, 0.0005, 0.0005]);
  expect(far[1]?.depth.data[17]).toBe(40_000);
});

test.each(["mcap", "png", "tum"] as const)(
  "the recording that workOn writes with --to %s has the depth that replay computes, and the same bytes every time",
  async (to) => {
    const settings = { to, stages: ["median", "temporal"] };
    const [one, other] = [await worked(settings), await worked(settings)];
    expect(other.done.result).toEqual(one.done.result);
    expect(readFileSync(join(other.place, "result.json"))).toEqual(readFileSync(join(one.place, "result.json")));
    const written = await disk.open(join(one.place, to === "mcap" ? "recording.mcap" : "recording"));
    const source = await disk.open(recording);
    const chosen = chooseStages(["median", "temporal"], undefined);
    const { outputs } = await replayHere(source, requestOf({ recording, chosen, noise: "auto" }));
    const wanted = [...outputs];
    expect(written.length).toBe(COUNT);
    for (let i = 0; i < COUNT; i++) {
      const frame = await written.read(i);
      expect(countValid(frame.depth), `frame ${i}`).toBe(wanted[i]?.validOut);
      // A TUM folder has another unit.
      if (to !== "tum") expect(depthHash(frame.depth.data)).toBe(wanted[i]?.depthSha256);
      expect(frame.timestamp).toBeCloseTo(source.timestampOf(i), 3);
      expect(frame.color !== undefined).toBe(true);
    }
  },
);

test("workOn with --raw writes unfiltered depth, and with --start and --frames a part of the frames", async () => {
  const { place, done } = await worked({ to: "png", raw: true, start: 2, frames: 3 });
  expect([done.result.figures.frames, done.run.overBudget]).toEqual([3, null]);
  const written = await disk.open(join(place, "recording"));
  for (let i = 0; i < 3; i++) expect((await written.read(i)).depth.data).toEqual((await room.read(i + 2)).depth.data);
  expect(written.length).toBe(3);
});

test.each([
  ["from --start on", { start: 3 }, undefined, { frames: COUNT - 3, unreadable: 0 }],
  ["behind a first one that cannot be read", {}, "depth/000000.png", { frames: COUNT - 1, unreadable: 1 }],
] as const)("workOn measures each frame once, where frames are filtered %s", async (_, more, damaged, figures) => {
  const input = join(disk.root, `once${outs}`);
  cpSync(recording, input, { recursive: true });
  if (damaged) writeFileSync(join(input, damaged), "no PNG");
  const { done } = await worked({ to: "png", ...more }, input);
  expect(done.result.figures).toMatchObject(figures);
});

test("workOn counts and leaves out a frame that cannot be read; the others keep their times", async () => {
  const contents = tumContents(6);
  const [, , third = ""] = Object.keys(contents).filter((name) => name.startsWith("depth/"));
  const input = disk.folder({ ...contents, [third]: "no PNG" });
  const { done, place } = await worked({ to: "tum", raw: true }, input);
  expect(done.result.figures).toMatchObject({ frames: 5, unreadable: 1 });
  const told = /1 frame could not be read, left out: 2; the first: .*depth\/100\.066667\.png/;
  expect(done.result.warnings.join("\n")).toMatch(told);
  const written = await disk.open(join(place, "recording"));
  expect(written.length).toBe(5);
  for (const [i, frame] of [0, 1, 3, 4, 5].entries()) {
    const { depth, timestamp } = await written.read(i);
    expect(depth.data).toEqual(depthValues(frame));
    expect(timestamp).toBeCloseTo(100_000 + (frame * 1000) / 30, 2);
  }
});

test("working twice on the same recording keeps the first result, and replaces a result of other settings", async () => {
  const { job, done, place } = await worked();
  writeFileSync(join(place, "sentinel"), "the first one's");
  await workOn(job);
  expect(existsSync(join(place, "sentinel"))).toBe(true);
  const other = { ...PLAIN, frames: 2 };
  await workOn({ ...job, settings: other, identity: identityOf(other) });
  expect(existsSync(join(place, "sentinel"))).toBe(false);
  expect((await readDone(job))?.result.identity).not.toBe(done.result.identity);
  expect(readdirSync(join(job.out, UNFINISHED))).toEqual([]);
});

describe("a folder of results", () => {
  test("that was removed is not made again by workOn", async () => {
    const { job } = await worked();
    rmSync(job.out, { recursive: true });
    await expect(workOn(job)).rejects.toThrow(/the folder of the results has gone, or lost its batch\.json/);
    expect(existsSync(job.out)).toBe(false);
  });

  test("of other settings is refused by openOut without --force, and so is a folder that batch did not make", async () => {
    const { job } = await worked();
    const other = { ...PLAIN, raw: true };
    const unforced = openOut(job.out, other, identityOf(other), false);
    await expect(unforced).rejects.toThrow(/it holds results of other settings/);
    await openOut(job.out, other, identityOf(other), true);
    await openOut(job.out, other, identityOf(other), false);
    const mine = join(disk.root, "mine");
    mkdirSync(mine);
    writeFileSync(join(mine, "x.txt"), "x");
    await expect(openOut(mine, PLAIN, identityOf(PLAIN), true)).rejects.toThrow(/it is not empty \(x\.txt\)/);
    await expect(openOut(join(mine, "x.txt"), PLAIN, identityOf(PLAIN), true)).rejects.toThrow(/it is a file/);
  });

  test("of another version is refused by openOut, and the error names the version", async () => {
    const { job } = await worked();
    const marker = join(job.out, "batch.json");
    const text = readFileSync(marker, "utf8").replace(/"identity": "\w+"/, '"identity": "x"');
    writeFileSync(marker, text.replace(/"version": "[^"]+"/, '"version": "9.9.9"'));
    const opening = openOut(job.out, PLAIN, identityOf(PLAIN), false);
    await expect(opening).rejects.toThrow(/results of depthloom 9\.9\.9, and this is/);
  });
});
