import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRecording, syntheticRoom } from "../../sources/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { depthPng, depthValues, HEIGHT, useFolder, WIDTH } from "../sources/fixtures.ts";
import { many } from "../sources/opening.ts";
import { type Document, depthloom, root, start } from "./command.ts";

const disk = useFolder();
const PLAIN = ["--stages", "median", "--backend", "cpu"];

/** Frames of a plain folder, `replacing` some of them. */
const intrinsics = { fx: 5, fy: 5, cx: 3, cy: 2 };
const about = JSON.stringify({ metresPerUnit: 0.001, invalid: [], fps: 30, intrinsics });
const pngs = (count: number, replacing: Record<number, Uint8Array> = {}) => {
  const frames = many(count, (i) => [`${String(i).padStart(6, "0")}.png`, replacing[i] ?? depthPng(depthValues(i))]);
  return disk.folder({ "recording.json": about, ...frames });
};

test("replay fails with status 1 and one line that names the file", async () => {
  const out = join(disk.root, "out-of-nothing");
  const nowhere = join(disk.root, "nowhere");
  const { status, stdout, stderr } = await depthloom("replay", nowhere, "--json", "--out", out, ...PLAIN);
  expect(stderr).toMatch(/^depthloom: .*nowhere: there is no such file.*\n$/);
  expect([status, stdout, existsSync(out)]).toEqual([1, "", false]);
});

describe("replay of a recording with frames that cannot be read", () => {
  const whole = depthPng(depthValues(3));
  test("in the middle writes and reports all others", async () => {
    const [message, recording] = [/000003\.png: /, pngs(6, { 3: whole.slice(0, whole.length - 20) })];
    const out = join(disk.root, "out-half");
    const { status, stdout, stderr } = await depthloom("replay", recording, "--json", "--out", out, ...PLAIN);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(status).toBe(3);
    const document = JSON.parse(stdout) as Document;
    expect([document.frames, document.unreadable, document.error]).toEqual([5, 1, undefined]);
    expect(document.outputs.map(({ index }) => index)).toEqual([0, 1, 2, 4, 5]);
    expect(readdirSync(join(out, "depth"))).toEqual([0, 1, 2, 4, 5].map((i) => `00000${i}.png`));
    for (const name of ["settings.json", "latency.json", "trace.json", "recording.json"]) {
      expect(existsSync(join(out, name)), name).toBe(true);
    }
    const written = await disk.open(out);
    for (let i = 0; i < written.length; i++) expect((await written.read(i)).depth.data.length).toBe(WIDTH * HEIGHT);
  });

  test("alone still gives a JSON document", async () => {
    const { status, stdout } = await depthloom("replay", pngs(1, { 0: whole.slice(0, -20) }), "--json", ...PLAIN);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ frames: 0, width: null, height: null, outputs: [] });
  });
});

describe("replay succeeds", () => {
  test("with a frame of another size in the middle, for which the stages are rebuilt", async () => {
    const other = depthPng(new Uint16Array(12 * 9).fill(1234), 12, 9);
    const out = join(disk.root, "sizes");
    const { status, stdout } = await depthloom("replay", pngs(5, { 2: other }), "--json", "--out", out, ...PLAIN);
    expect(status).toBe(0);
    const { width, height, frames, outputs } = JSON.parse(stdout) as Document;
    expect([width, height, frames]).toEqual([WIDTH, HEIGHT, 5]);
    expect(outputs.map(({ validIn, validOut }) => [validIn, validOut])).toEqual(
      [34, 34, 108, 34, 34].map((n) => [n, n]),
    );
    const written = await disk.open(out);
    expect((await written.read(2)).depth.shape).toEqual([9, 12]);
  });

  test("with a frame without a valid pixel, which it warns of", async () => {
    const none = depthPng(new Uint16Array(WIDTH * HEIGHT));
    const { status, stdout, stderr } = await depthloom("replay", pngs(3, { 0: none }), "--json", ...PLAIN);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^warning: frame 0 has no valid pixel.*\n$/)]);
    const { empty, outputs } = JSON.parse(stdout) as Document;
    expect([empty, outputs.map(({ validOut }) => validOut)]).toEqual([1, [0, 34, 34]]);
  });
});

describe("a place that the command cannot write to", () => {
  test("is refused before any frame runs", async () => {
    const file = disk.file("occupied", "x");
    const asked = [pngs(2), "--json", "--out", join(file, "out"), ...PLAIN];
    const { status, stdout, stderr } = await depthloom("replay", ...asked);
    expect(stderr).toMatch(/occupied.*: a part of this path is a file, not a folder/);
    expect([status, stdout]).toEqual([1, ""]);
  });

  test.skipIf(!existsSync("/dev/full")).each([
    ["replay's document", ["replay", pngs(2), "--json", ...PLAIN]],
    ["the list of stages", ["stages"]],
    ["the help", ["--help"]],
  ])("is reported if it is a full disk behind standard output (%s)", async (_, args) => {
    const { status, stderr } = await into("/dev/full", args);
    const errors = stderr.split("\n").filter((line) => line && !/^(warning|note): /.test(line));
    expect([status, errors]).toEqual([1, ["depthloom: standard output: the disk is full"]]);
  });

  test("is no failure if it is a pipe whose reader has left", async () => {
    const { child, ended } = start(["stages"]);
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ status: 0, stderr: "" });
  });

  test.each([
    ["info", 1],
    ["check", 0],
    ["replay", 3],
  ])("keeps the status of a run whose reader has left (%s: %i)", async (command, is) => {
    const torn = pngs(3, { 0: depthPng(depthValues(0)).slice(0, 40) });
    const asked = [command, torn, "--json", ...(command === "replay" ? PLAIN : [])];
    const { child, ended } = start(asked);
    child.stdout?.destroy();
    const { status, stderr } = await ended;
    expect([status, stderr]).toEqual([is, expect.stringContaining("000000.png")]);
  });

  test.each([
    // A server has the frames come at their own pace, ten seconds in all.
    ["served", ["--to", "-", "--to", "serve", "--port", "0"]],
    ["of which a part is in the pipe", ["--to=-"]],
  ])(
    "ends a run like an interruption if its reader has left and the run writes a file, too (%s)",
    async (name, places) => {
      const file = join(disk.root, `${name}.mcap`);
      const recording = join(disk.root, name);
      await writePngFolder(syntheticRoom({ width: 160, height: 120, frames: 120, color: false }), recording, {
        truth: false,
      });
      const { child, ended } = start(["filter", recording, "--to", file, ...places, ...PLAIN]);
      child.stdout?.once("data", () => child.stdout?.destroy());
      const { status, stderr } = await ended;
      expect(status).toBe(143);
      expect(stderr).toMatch(/the reader of standard output has ended\n/);
      expect(stderr).toMatch(/frames filtered\n.*depthloom: interrupted/s);
      expect(existsSync(file)).toBe(false);
      const part = await openRecording(`${file}.partial`);
      expect([part.length > 0, part.warnings]).toEqual([true, []]);
      await part.close();
    },
  );
});

/** Runs the command with its standard output going into a file. */
function into(path: string, args: readonly string[]) {
  const fd = openSync(path, "w");
  const child = spawn(process.execPath, [join(root, "cli/launch.js"), ...args], { stdio: ["ignore", fd, "pipe"] });
  closeSync(fd);
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise<{ status: number | null; stderr: string }>((resolve) => {
    child.on("close", (status) => resolve({ status, stderr }));
  });
}

test("replay refuses --start behind the recording's end, and accepts --frames beyond it", async () => {
  const recording = pngs(3);
  const late = await depthloom("replay", recording, "--start", "3", ...PLAIN);
  expect(late.stderr).toMatch(/start 3: recording has 3 frames, counted from 0/);
  expect(late.status).toBe(2);
  const many = await depthloom("replay", recording, "--start", "1", "--frames", "99", "--json", ...PLAIN);
  expect((JSON.parse(many.stdout) as Document).outputs.map(({ index }) => index)).toEqual([1, 2]);
});
