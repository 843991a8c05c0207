import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RecordingLine } from "../../run/batch/log.ts";
import type { Row } from "../../run/batch/quality/row.ts";
import type { BatchDocument } from "../../run/batch/report.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { depthloom, start } from "../cli/command.ts";
import { LONG } from "../mode.ts";
import { useFolder } from "../sources/fixtures.ts";
import { writeFleet } from "./makers.ts";
import { manifestOf, resultsOf } from "./results.ts";

// The command `batch` on small recordings of all formats, one of them damaged: whole runs, repeated runs and runs that were stopped.

const disk = useFolder();
const COUNT = LONG ? 60 : 5;
const fleet = join(disk.root, "fleet");
const { keys, damaged } = writeFleet(fleet, COUNT, 1);
const PLAIN = ["--to", "mcap", "--stages", "median"];
const place = (name: string) => join(disk.root, name);
const at = (out: string, name: string) => readFileSync(join(out, name), "utf8");

/** Runs the built command, since the processes that work on recordings are started from it. */
const built = (...args: string[]) => start(args).ended;

async function batch(out: string, ...more: string[]) {
  const { status, stdout, stderr } = await built("batch", fleet, "--out", out, "--json", ...PLAIN, ...more);
  return { status, stderr, document: JSON.parse(stdout || "{}") as BatchDocument };
}

const whole = place("whole");

test("`batch` works on every recording, and tries a damaged one twice, then lists it with its reason", async () => {
  const dry = await depthloom("batch", fleet, "--out", whole, "--dry-run", ...PLAIN);
  expect([dry.status, dry.stdout.split("\n").filter((line) => line.startsWith("to do")).length]).toEqual([0, COUNT]);
  expect(existsSync(whole)).toBe(false);
  const { status, stderr, document } = await batch(whole, "--require", "frames>1");
  expect(status, stderr).toBe(1);
  expect(document.counts).toMatchObject({ found: COUNT, done: COUNT - 1, failed: 1, left: 0, before: 0 });
  expect(document.failed.map(({ recording }) => recording)).toEqual(damaged);
  expect(document.failed[0]?.reason).toMatch(/0000\.bag: it is no ROS bag, whatever its name says/);
  expect(stderr.match(/it will be tried once more/g)).toHaveLength(1);
  expect(Object.keys(resultsOf(whole))).toEqual(keys);
  const rows = at(whole, "quality.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
  expect(rows.map(({ recording }) => recording)).toEqual([...keys, ...damaged].sort());
  expect(at(whole, "quality.csv").trim().split("\r\n")).toHaveLength(COUNT + 1);
  expect(at(whole, "quality.html")).toContain(`${COUNT} recordings`);
  expect(at(whole, "manifest.jsonl").trim().split("\n")).toHaveLength(COUNT - 1);
});

// The long run kills the command, too.
test.each(LONG ? (["SIGINT", "SIGKILL"] as const) : (["SIGINT"] as const))(
  "`batch` stopped by %s and started again gives the same results, and repeats no finished recording",
  async (signal) => {
    const out = place(`stopped ${signal}`);
    const { child, ended } = start(["batch", fleet, "--out", out, "--jobs", "1", ...PLAIN]);
    while (Object.keys(resultsOf(out)).length === 0 && child.exitCode === null) await new Promise(setImmediate);
    child.kill(signal);
    const { status, stderr } = await ended;
    if (signal === "SIGINT")
      expect([status, stderr]).toEqual([130, expect.stringContaining("the same command goes on")]);
    const done = Object.keys(resultsOf(out));
    const runs = done.map((key) => at(out, `recordings/${key}/run.json`));
    const { document, stderr: lines } = await batch(out, "--log", "json", "--timeout", "300");
    const told = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Partial<RecordingLine>);
    const ends = (outcome: string) => told.filter((line) => line.outcome === outcome);
    expect(
      ends("done")
        .map(({ name }) => name)
        .sort(),
    ).toEqual(keys.filter((key) => !done.includes(key)));
    expect([...ends("retry"), ...ends("failed")].map(({ name, attempt }) => [name, attempt])).toEqual([
      ...[
        [damaged[0], 1],
        [damaged[0], 2],
      ],
    ]);
    expect(document.counts).toMatchObject({ done: COUNT - 1, failed: 1, before: done.length });
    expect(done.map((key) => at(out, `recordings/${key}/run.json`))).toEqual(runs);
    expect(resultsOf(out)).toEqual(resultsOf(whole));
    expect(manifestOf(out)).toBe(manifestOf(whole));
    expect(readdirSync(join(out, ".partial"))).toEqual([]);
  },
);

test.each([
  [["--to", "tum", "--codec", "v2"], /--codec: it is of --to mcap, and tum is written/],
  [["--raw"], /--raw says how depth is written: give --to/],
  [["--stages", "medain"], /there is no stage "medain"/],
  [["--max-failed", "101%"], /whole number from 0, or a share/],
  [["--queue", "redis://x", "--timeout", "5"], /--timeout: with --queue, workers run the recordings/],
  [["--telemetry", "x"], /--telemetry: it concerns a queue: give --queue/],
  [["--shard", "3/2"], /there is no part 3 of 2/],
  [["--out", "gs://bucket/results"], /^depthloom: gs:\/\/…: results go to a folder or file of this machine/],
  [["--require", "x>1"], /--require x>1: it must be a column/],
])("`batch` with %j is wrong usage, and makes no folder", async (more, message) => {
  const { status, stderr } = await depthloom("batch", fleet, "--out", place("never"), ...more);
  expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(existsSync(place("never"))).toBe(false);
});

/** A disk of 200 KiB; `undefined` if this process may not mount one. */
function smallDisk(): string | undefined {
  const path = place("small");
  mkdirSync(path);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=200k", "tmpfs", path]);
  return status === 0 ? path : undefined;
}

const small = process.platform === "linux" ? smallDisk() : undefined;
afterAll(() => {
  if (small) spawnSync("umount", [small]);
});

test.skipIf(!small)(
  "`batch` on a full disk prints one line for each recording that does not fit, and does the others",
  async () => {
    if (!small) return;
    const input = place("sizes");
    writeFleet(input, 2, 0);
    await writePngFolder(syntheticRoom({ width: 320, height: 240, frames: 2 }), join(input, "large"), { truth: false });
    const out = join(small, "out");
    const { status, stderr } = await built("batch", input, "--out", out, "--to", "png", "--raw", "--jobs", "1");
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^failed: large: \S+: the disk is full[^\n]*$/m)]);
    expect(stderr).toMatch(/2 of 3 done, 1 failed, 0 left/);
    expect(Object.keys(resultsOf(out))).toHaveLength(2);
  },
);
