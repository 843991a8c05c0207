import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { openRecording } from "../../sources/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { depthHash, useFolder } from "../sources/fixtures.ts";
import { contents, of } from "../sources/formats/mcapContents.ts";
import { built, depthloom, start } from "./command.ts";

// Recording to MCAP: the file that replay writes, the file that a killed run leaves, and files that are never replaced.

const disk = useFolder();
const recording = join(disk.root, "room");
await writePngFolder(syntheticRoom({ width: 160, height: 120, frames: 60, cameraMotion: "sway" }), recording, {
  truth: false,
});
const STAGES = ["--stages", "median", "--backend", "cpu"];
const depthOf = async (path: string) =>
  of((await contents(path)).told, "/depth/image").map(({ message }) => depthHash(message.data as Uint16Array));

describe("replay --out FILE.mcap", () => {
  const whole = join(disk.root, "whole.mcap");
  const raw = join(disk.root, "raw.mcap");
  beforeAll(() => built());

  test("writes every frame, filtered or --raw, the settings and each stage's times", async () => {
    expect(await depthloom("replay", recording, "--out", whole, ...STAGES)).toMatchObject({ status: 0 });
    const { told } = await contents(whole);
    expect(of(told, "/depth/image").map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    expect(of(told, "/color/image/compressed")).toHaveLength(60);
    expect(JSON.parse(String(of(told, "/depthloom/settings")[0]?.message.data))).toMatchObject({
      stages: [{ name: "median", parameters: { size: 3 } }],
    });
    expect(of(told, "/depthloom/latency/median").length).toBeGreaterThan(0);
    expect(await depthloom("replay", recording, "--out", raw, "--raw", "--frames", "2", ...STAGES)).toMatchObject({
      status: 0,
    });
    const [first, second] = await depthOf(raw);
    expect(first).not.toEqual((await depthOf(whole))[0]);
    const room = syntheticRoom({ width: 160, height: 120, frames: 60, cameraMotion: "sway" });
    const { data } = (await room.read(1)).depth;
    expect(second).toBe(depthHash(data));
  });

  test("writes the lens and the colour of decimate's smaller frames", async () => {
    const path = join(disk.root, "smaller.mcap");
    const run = ["replay", recording, "--out", path, "--frames", "1", "--stages", "decimate", "--backend", "cpu"];
    expect(await depthloom(...run)).toMatchObject({ status: 0 });
    const [large, small] = await Promise.all([recording, path].map((one) => openRecording(one)));
    const [before, after] = await Promise.all([large, small].map((one) => one?.read(0)));
    expect(after?.intrinsics).toMatchObject({ width: 80, height: 60, fx: (before?.intrinsics.fx ?? 0) / 2 });
    expect([after?.depth.shape, after?.color?.shape]).toEqual([
      [60, 80],
      [60, 80, 4],
    ]);
    await Promise.all([large?.close(), small?.close()]);
  });

  test("leaves, killed at any moment, a file that plays to its last whole chunk, and goes on from there", async () => {
    const expected = await depthOf(whole);
    const size = statSync(whole).size;
    for (const share of [0, 0.3, 0.8]) {
      const place = join(disk.root, `killed-${share}.mcap`);
      const path = `${place}.partial`;
      const { child, ended } = start(["replay", recording, "--out", place, ...STAGES]);
      const written = () => (existsSync(path) ? statSync(path).size : -1);
      const isThere = () => written() >= share * size || child.exitCode !== null;
      await vi.waitUntil(isThere, { interval: 1, timeout: 30_000 });
      child.kill("SIGKILL");
      await ended;
      expect(existsSync(place)).toBe(false);
      const frames = await depthOf(path);
      expect(frames).toEqual(expected.slice(0, frames.length));
      if (share > 0) expect(frames.length).toBeGreaterThan(0);
      const { status, stderr } = await depthloom("replay", recording, "--out", place, ...STAGES);
      expect([status, stderr.includes(`after the ${frames.length} frame`)]).toEqual([0, frames.length > 0]);
      const { told } = await contents(place);
      expect(of(told, "/depthloom/settings")).toHaveLength(1);
      expect(await depthOf(place)).toEqual(expected);
    }
  });

  test("replaces no file without --force, and with it only a recording that depthloom wrote", async () => {
    const mine = disk.file("mine.mcap", "mine");
    const again = (path: string, ...more: string[]) =>
      depthloom("replay", recording, "--out", path, "--frames", "1", ...more, ...STAGES);
    expect(await again(whole)).toMatchObject({ status: 2, stderr: expect.stringMatching(/it exists already/) });
    expect(await again(mine, "--force")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/this file was not written by depthloom/),
    });
    expect(readFileSync(mine, "utf8")).toBe("mine");
    expect(await again(whole, "--force")).toMatchObject({ status: 0 });
    expect(await depthOf(whole)).toHaveLength(1);
  });
});
