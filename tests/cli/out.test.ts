import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { describe as describeError } from "../../run/report/failure.ts";
import { MANIFEST, OwnFolder } from "../../run/report/ownFolder.ts";
import { goesOn, recordingIdentity, settled } from "../../run/report/unfinished.ts";
import { writerOf } from "../../run/report/writer.ts";
import { depthPng, depthValues, useFolder } from "../sources/fixtures.ts";
import { depths } from "../sources/opening.ts";
import { depthloom, hashOf } from "./command.ts";

// Where results may go: no file that depthloom did not write is ever replaced or removed. (Every command of these tests is also held to
// leaving its inputs as they were: see command.ts.)

const disk = useFolder();
const PLAIN = ["--stages", "median", "--backend", "cpu"];
const frames = (count: number) => depths(count, (i) => `depth/${String(i).padStart(6, "0")}.png`);
const pngs = (count: number) => disk.folder({ ...frames(count), "recording.json": '{ "metresPerUnit": 0.001 }' });
const replay = (recording: string, out: string, ...more: string[]) =>
  depthloom("replay", recording, "--out", out, ...PLAIN, ...more);

/** Expects that a place is refused as wrong usage, with one line that names it and perhaps one about --force. No file has changed. */
async function refused(recording: string, out: string, message: RegExp, ...more: string[]): Promise<void> {
  const around = dirname(recording);
  const before = hashOf(around);
  const { status, stderr } = await depthloom("replay", recording, "--out", out, ...PLAIN, ...more);
  expect(stderr).toMatch(message);
  expect(stderr).toContain(out);
  const lines = stderr.trim().split("\n");
  expect(lines.filter((line) => !/^(warning|note): |^\(--force /.test(line))).toHaveLength(1);
  expect(status).toBe(2);
  expect(hashOf(around)).toBe(before);
}

describe("--out refuses, also with --force,", () => {
  test.each([[[]], [["--force"]]])("the recording itself, folders around it and folders in it %j", async (force) => {
    const recording = pngs(2);
    await refused(recording, recording, /this is the input itself/, ...force);
    await refused(recording, dirname(recording), /the input is in it/, ...force);
    await refused(recording, dirname(dirname(recording)), /the input is in it/, ...force);
    await refused(recording, join(recording, "depth"), /it is in the input/, ...force);
    await refused(recording, join(recording, "new", "out"), /it is in the input/, ...force);
  });

  test("the same places behind a link", async () => {
    const recording = pngs(2);
    const link = join(disk.root, "a-link");
    symlinkSync(recording, link);
    await refused(recording, link, /this is the input itself/, "--force");
    await refused(link, recording, /this is the input itself/, "--force");
    await refused(recording, join(link, "out"), /it is in the input/, "--force");
  });

  test("a folder with files of others in place of depthloom's", async () => {
    const recording = pngs(2);
    const out = disk.folder({ "depth/notes.txt": "mine" });
    await refused(recording, out, /it is not empty \(depth\); choose a new folder\n\(--force replaces/);
    await refused(recording, out, /depth\/notes\.txt does not come from an earlier run of depthloom/, "--force");
    const others = disk.folder({ "recording.json": "{}" });
    await refused(recording, others, /recording\.json does not come from an earlier/, "--force");
    await refused(recording, disk.folder({ [MANIFEST]: "mine" }), /was not written by depthloom/, "--force");
    const elsewhere = disk.folder({ "mine.txt": "x" });
    const linked = disk.folder({});
    symlinkSync(elsewhere, join(linked, "depth"));
    await refused(recording, linked, /depth does not come from an earlier run/, "--force");
    expect(readdirSync(elsewhere)).toEqual(["mine.txt"]);
  });
});

describe("--force", () => {
  test("clears an earlier run's files and leaves files of others", async () => {
    const out = disk.folder({});
    await replay(pngs(4), out);
    writeFileSync(join(out, "notes.txt"), "mine");
    // A partial file, as a killed run leaves one.
    writeFileSync(join(out, "depth", "000003.png.partial"), "half");
    const { status, stderr } = await replay(pngs(2), out, "--force");
    expect(status, stderr).toBe(0);
    expect(readdirSync(join(out, "depth"))).toEqual(["000000.png", "000001.png"]);
    expect(readFileSync(join(out, "notes.txt"), "utf8")).toBe("mine");
    expect(existsSync(join(out, "view"))).toBe(false);
  });

  test("clears nothing if the input does not exist or has too few frames", async () => {
    const out = disk.folder({});
    await replay(pngs(2), out);
    const before = hashOf(out);
    expect((await replay(join(disk.root, "nowhere"), out, "--force")).status).toBe(1);
    expect((await replay(pngs(2), out, "--force", "--start", "9")).status).toBe(2);
    expect(hashOf(out)).toBe(before);
  });

  test("clears nothing outside the folder, whatever the list of files names", async () => {
    const outside = disk.folder({ "victim.txt": "x", "sub/victim.txt": "x" });
    const out = join(outside, "out");
    mkdirSync(out);
    const folder = await OwnFolder.check({ path: out, names: [], inputs: [], force: false });
    await folder.begin();
    symlinkSync(join(outside, "sub"), join(out, "link"));
    const lines = [
      "../victim.txt",
      join(outside, "victim.txt"),
      "link/victim.txt",
      "a/../../victim.txt",
      ".",
      "link",
      "",
    ];
    writeFileSync(join(out, MANIFEST), lines.join("\n"), { flag: "a" });
    const again = await OwnFolder.check({ path: out, names: [], inputs: [], force: true });
    await again.begin();
    expect(readdirSync(outside).sort()).toEqual(["out", "sub", "victim.txt"]);
    expect(readdirSync(join(outside, "sub"))).toEqual(["victim.txt"]);
  });
});

describe("a command that writes files at its end refuses, before it works,", () => {
  const around = disk.folder({ "notes.txt": "mine", ...frames(2) });
  const image = join(around, "depth/000000.png");
  const notes = join(around, "notes.txt");
  const fresh = join(disk.folder({}), "a.ply");
  test.each([
    [["check", image, "--html", image], /000000.png: this is the input itself/],
    [["check", around, "--html", join(around, "depth.html")], /depth.html: this is inside the input/],
    [["check", image, "--html", notes], /notes.txt: this file was not written by depthloom/],
    [["align", image, image, "--picture", image, "--force"], /000000.png: this is the input itself/],
    [["align", around, around, "--out", join(around, "room.ply")], /room.ply: this is inside the input/],
    [["scan", image, "--out", fresh, "--poses-out", fresh], /a.ply: two results would be this file/],
    [["scan", image, "--out", fresh, "--poses-out", join(around, "no/p.txt")], /no\/p.txt: no such file or folder/],
    [["bench", "median", "--recording", image, "--out", image], /000000.png: this is the input itself/],
    [["bench", "fidelity", image, "--html", notes], /notes.txt: this file was not written by depthloom/],
    [["tune", "median", "--html", notes], /notes.txt: this file was not written by depthloom/],
    [["report", "--out", notes], /notes.txt: this file was not written by depthloom/],
  ])("%j", async (args, message) => {
    const before = hashOf(around);
    const { status, stderr } = await depthloom(...args);
    expect([status, stderr]).toEqual([message.source.includes("no such") ? 1 : 2, expect.stringMatching(message)]);
    expect(hashOf(around)).toBe(before);
  });
});

test("OwnFolder refuses the second of two runs that begin in one folder, in words for its user", async () => {
  const claim = { path: disk.folder({}), names: ["a"], inputs: [], force: false };
  const [one, other] = [await OwnFolder.check(claim), await OwnFolder.check(claim)];
  await one.begin();
  const refused: unknown = await other.begin().catch((error: unknown) => error);
  expect(describeError(refused)).toBe(
    `${claim.path}: another run is writing there; wait until that run ends, or choose another folder`,
  );
});

test("OwnFolder takes no file for a stranger's that another run is just writing", async () => {
  const claim = { path: disk.folder({}), names: ["depth"], inputs: [], force: true };
  const writer = await OwnFolder.check(claim);
  await writer.begin();
  let writes = true;
  const writing = (async () => {
    for (let i = 0; i < 300; i++) await writer.write(`depth/${i}.png`, "depth");
    writes = false;
  })();
  while (writes) await OwnFolder.check(claim);
  await writing;
  const names = readdirSync(join(claim.path, "depth"));
  expect((await OwnFolder.check(claim)).earlier).toHaveLength(names.length);
});

test("a run goes on with its own unfinished result alone, and with none that a running process writes", async () => {
  const partial = join(disk.folder({}), "out.partial");
  const half = () => writeFileSync(partial, "half");
  let isFree = async (): Promise<unknown> => undefined;
  let clear = async () => rmSync(partial);
  const begin = (same: object, force = false, isAgain = false) =>
    goesOn(partial, { same, force, isAgain, isFree, clear: () => clear() });
  const [one, other] = [{ frames: 1 }, { frames: 2 }];
  half();
  await expect(begin(one)).rejects.toThrow(/another run is there; move it away/);
  expect([await begin(one, true), existsSync(partial)]).toEqual([false, false]);
  half();
  expect([await begin(one), existsSync(partial)]).toEqual([true, true]);
  await expect(begin(other)).rejects.toThrow(/give the same options to go on, or choose another place/);
  // What a run wrote after it had begun again is not gone on with.
  expect([await begin(one, false, true), existsSync(partial)]).toEqual([false, false]);
  half();
  expect([await begin(one), existsSync(partial)]).toEqual([false, false]);
  // Nor is a result gone on with whose clearing failed halfway; to replace that one takes no --force.
  half();
  writeFileSync(`${partial}.json`, `${JSON.stringify(one)}\nfirst\n0\n`);
  clear = () => Promise.reject(new Error("one file stays"));
  await expect(begin(other, true)).rejects.toThrow("one file stays");
  clear = async () => rmSync(partial);
  await expect(begin(one)).rejects.toThrow(/another run is there/);
  expect([await begin(other), existsSync(partial)]).toEqual([false, false]);
  const left = (writer: string) => writeFileSync(`${partial}.json`, `${JSON.stringify(one)}\nfirst\n${writer}\n`);
  half();
  const parent = await writerOf(process.ppid);
  left(parent);
  await expect(begin(one, true)).rejects.toThrow(/process \d+ is writing there; wait until it ends/);
  expect(existsSync(partial)).toBe(true);
  // A process that is over is not waited for, although another one has its number by now: after a restart, or on a busy machine.
  const [pid, host, , room] = parent.split(" ");
  for (const over of [`${pid} ${host} other ${room} 1`, parent.replace(/\S+$/, "1")]) {
    left(over);
    expect([await begin(one), existsSync(partial)]).toEqual([true, true]);
  }
  // Of another machine's or another container's process nothing is known here.
  for (const elsewhere of [`1 other ${parent.split(" ").slice(2).join(" ")}`, parent.replace("pid:", "pid:1")]) {
    left(elsewhere);
    const refused: unknown = await begin(one).catch((error: unknown) => error);
    expect(describeError(refused)).toMatch(
      /process \d+ on \S+ may be writing there, as \S+\.json says; .*\n\(--force /,
    );
    expect([await begin(one, true), existsSync(partial)]).toEqual([true, true]);
    // One that has given no sign of life for long was killed.
    left(elsewhere);
    const long = new Date(Date.now() - 6 * 60_000);
    utimesSync(`${partial}.json`, long, long);
    expect([await begin(one), existsSync(partial)]).toEqual([true, true]);
  }
  // Earlier versions wrote a number without a machine: that of an ended process hinders nobody.
  left("999999999");
  expect(await begin(one)).toBe(true);
  left(`${process.ppid}`);
  await expect(begin(one)).rejects.toThrow(/: process \d+ may be writing there/);
  expect(await begin(one, true)).toBe(true);
  // If several runs begin at once, only one begins, beside nothing and in place of what a dead process left.
  for (const said of ["", `${JSON.stringify(one)}\nfirst\n0\n`, undefined]) {
    if (said === undefined) rmSync(`${partial}.json`);
    else writeFileSync(`${partial}.json`, said);
    const runs = await Promise.allSettled(Array.from({ length: 6 }, () => begin(one, true)));
    const [begun, refused] = ["fulfilled", "rejected"].map((how) => runs.filter(({ status }) => status === how));
    expect([begun.length, refused.length]).toEqual([1, 5]);
    expect(String(refused.map((run) => "reason" in run && run.reason))).toMatch(/another run is writing there/);
  }
  // Another run ended in the place since this one looked at it.
  const before = readFileSync(`${partial}.json`, "utf8");
  isFree = async () => Promise.reject(new Error("it exists already"));
  await expect(begin(one)).rejects.toThrow("it exists already");
  expect(readFileSync(`${partial}.json`, "utf8")).toBe(before);
});

test("a run gives its unfinished result a new time every minute, until the result is whole", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const partial = join(disk.root, "alive.partial");
  await goesOn(partial, { same: {}, force: false, isFree: async () => {}, clear: async () => {} });
  const long = new Date(Date.now() - 6 * 60_000);
  utimesSync(`${partial}.json`, long, long);
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(() => expect(Date.now() - statSync(`${partial}.json`).mtimeMs).toBeLessThan(60_000));
  await settled(partial);
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
});

test.skipIf(process.platform === "win32").each(["a folder", "/dev/zero"])(
  "%s where an earlier run leaves its file is refused, and not read",
  async (what) => {
    const left = join(disk.root, `left${what.length}.partial.json`);
    if (what.startsWith("/")) symlinkSync(what, left);
    else mkdirSync(left);
    const { status, stderr } = await depthloom("convert", pngs(2), left.replace(".partial.json", ""), "--to", "png");
    expect([stderr, status]).toEqual([expect.stringContaining(`${left}: no run of depthloom left this`), 1]);
  },
);

test("a recording that took another's place, of as many frames, is another one", async () => {
  const path = pngs(2);
  const identity = async () => recordingIdentity(path, await disk.open(path));
  const before = await identity();
  expect(await identity()).toEqual(before);
  writeFileSync(join(path, "depth/000000.png"), depthPng(depthValues(7)));
  expect(await identity()).not.toEqual(before);
});
