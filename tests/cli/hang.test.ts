import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { depthPng, depthValues, useFolder } from "../sources/fixtures.ts";
import { type Document, type Ended, start } from "./command.ts";

// If reading a recording never ends or takes all memory, the command says so and ends, by itself or by Ctrl-C.

const disk = useFolder();

/**
 * A module that is loaded into the command before any other. In the thread that reads, opening a file `hang-DEED` does that deed and
 * prints "hanging" on standard error, since nothing else leaves a thread that spins.
 */
const HANG = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";
const { open } = fs.promises;
const kept = [];
const deeds = {
  spin() { for (;;); },
  wait: () => new Promise(() => {}),
  heap() { for (;;) kept.push({ some: Math.random(), more: [Math.random()] }); },
  bytes() { for (;;) kept.push(new Uint8Array(2 ** 24).fill(1)); },
};
if (!isMainThread) {
  fs.promises.open = (path, ...rest) => {
    const [, deed] = /hang-(\\w+)/.exec(path) ?? [];
    if (!deed) return open(path, ...rest);
    fs.writeSync(2, "hanging\\n");
    return deeds[deed]();
  };
  syncBuiltinESMExports();
}`;
// The threads of a command have what NODE_OPTIONS says, and none of its process's own options.
beforeAll(() => vi.stubEnv("NODE_OPTIONS", `--import data:text/javascript,${encodeURIComponent(HANG)}`));
afterAll(() => vi.unstubAllEnvs());

const lens = JSON.stringify({ metresPerUnit: 0.001, fps: 30, intrinsics: { fx: 5, fy: 5, cx: 3, cy: 2 } });
const png = depthPng(depthValues(0));
/** A recording whose description hangs when it is read, so that opening it hangs. */
const closed = (deed: string) => disk.folder({ [`hang-${deed}/0.png`]: png, [`hang-${deed}/recording.json`]: lens });
/** A recording whose third frame hangs when it is read. */
const list = "0 0.png\n0.1 1.png\n0.2 2-hang-spin.png\n0.3 3.png\n";
const frames = disk.folder({ "depth.txt": list, "0.png": png, "1.png": png, "2-hang-spin.png": png, "3.png": png });
const PLAIN = ["--stages", "median", "--backend", "cpu", "--noise", "off", "--json"];

const said = ({ stderr }: Ended) => stderr.replace("hanging\n", "");

/** Runs a command and sends Ctrl-C as soon as the recording hangs. */
async function interrupted(...args: string[]): Promise<Ended> {
  const { child, ended } = start(args);
  child.stderr?.on("data", (text: string) => {
    if (text.includes("hanging")) child.kill("SIGINT");
  });
  return ended;
}

describe("a recording whose opening", () => {
  test.each(["spin", "wait"])("never ends (%s) is refused", async (deed) => {
    const ended = await start(["replay", closed(deed), ...PLAIN, "--max-seconds", "0.5"]).ended;
    expect(said(ended)).toMatch(
      /^depthloom: \S+: opening it made no progress for 0\.5 seconds and was given up: .*\n\(--max-seconds allows more\)\n$/,
    );
    expect([ended.status, ended.stdout]).toEqual([1, ""]);
  });

  test.each(["heap", "bytes"])("takes all of the memory (%s) is refused", async (deed) => {
    const ended = await start(["info", closed(deed), "--max-megabytes", "200"]).ended;
    expect(said(ended)).toMatch(
      /^depthloom: \S+: opening it took more than 200 MiB of memory and was given up: .*\n\(--max-megabytes allows more\)\n$/,
    );
    expect([ended.status, ended.stdout]).toEqual([1, ""]);
  });

  test.each([
    ["replay", [...PLAIN]],
    ["convert", [join(disk.root, "never.mcap")]],
    ["serve", ["--port", "0"]],
  ])("never ends lets Ctrl-C end %s", async (command, rest) => {
    const ended = await interrupted(command, closed("spin"), ...rest);
    expect(said(ended)).toBe("depthloom: interrupted while the recording was being opened\n");
    expect([ended.status, ended.stdout]).toEqual([130, ""]);
  });
});

test("a frame whose reading never ends ends the run, which reports the frames before it", async () => {
  const { status, stdout, stderr } = await start(["replay", frames, ...PLAIN, "--max-seconds", "3"]).ended;
  const { outputs, error } = JSON.parse(stdout) as Document;
  expect([status, outputs.map(({ index }) => index)]).toEqual([1, [0, 1]]);
  expect(error).toMatch(/: reading frame 2 made no progress for 3 seconds and was given up/);
  expect(stderr).toContain("(2 frames were done)");
});
