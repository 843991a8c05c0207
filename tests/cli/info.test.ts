import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Ceilings } from "../../bench/ceilings/types.ts";
import { uniform } from "../random.ts";
import { depthPng, depthValues, tumContents, useFolder } from "../sources/fixtures.ts";
import { mcapOf } from "../sources/logs/files.ts";
import * as write from "../sources/logs/messages.ts";
import { depthloom } from "./command.ts";

const disk = useFolder();

describe("info without a recording", () => {
  // info keeps its measurements in the user's cache folder, which is a folder of the test here.
  beforeAll(() => vi.stubEnv("XDG_CACHE_HOME", disk.folder({})));
  afterAll(() => void vi.unstubAllEnvs());

  test("describes the software GPU and its features, and says that its speed is not measured", async () => {
    const { status, stdout, stderr } = await depthloom("info", "--adapter", "software", "--json");
    expect([status, stderr]).toEqual([0, ""]);
    const info = JSON.parse(stdout) as Record<string, unknown> & { limits: Record<string, number> };
    expect(info).toMatchObject({
      node: process.version,
      adapter: { software: true, description: expect.stringContaining("SwiftShader") },
      backend: "cpu",
      timestamps: true,
      features: expect.arrayContaining(["timestamp-query"]),
      ceilings: null,
    });
    expect(info.limits.maxComputeInvocationsPerWorkgroup).toBeGreaterThanOrEqual(128);
    expect((await depthloom("info", "--adapter", "software")).stdout).toMatch(
      /^depthloom +\d.*\nCPU .*\nGPU +SwiftShader.*\(software\)\n.*\n.*\n.*\nspeed +not measured yet: depthloom info --ceilings/,
    );
  });

  test("--ceilings measures the GPU's speed and keeps it, so that info shows it from then on", async () => {
    const { status, stdout, stderr } = await depthloom("info", "--adapter", "software", "--ceilings", "--json");
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^0 %: dispatches\n[\s\S]*\nkept in .*ceilings\.json\n$/),
    ]);
    const { ceilings } = JSON.parse(stdout) as { ceilings: Ceilings };
    expect(ceilings).toMatchObject({ checked: true, notes: [], rates: { f32: expect.any(Number) } });
    const later = await depthloom("info", "--adapter", "software", "--json");
    expect((JSON.parse(later.stdout) as { ceilings: Ceilings }).ceilings).toEqual(ceilings);
    const words = (await depthloom("info", "--adapter", "software")).stdout;
    expect(words).toMatch(
      /^memory, 256 KiB +copy \S+ .B\/s read and written, read .*\n[\s\S]*^i32 +\S+ .op\/s, sums$/m,
    );
  }, 120_000);

  test("refuses --ceilings together with a recording", async () => {
    const { status, stderr } = await depthloom("info", disk.folder(tumContents(2)), "--ceilings");
    expect([status, stderr]).toEqual([2, expect.stringContaining("leave out either --ceilings or the recording")]);
  });
});

describe("info PATH", () => {
  const said = async (path: string, ...more: string[]) => {
    const { status, stdout, stderr } = await depthloom("info", path, "--json", ...more);
    expect(status, stderr).toBe(0);
    const { facts, ...rest } = JSON.parse(stdout) as Record<string, unknown> & {
      facts: { what: string; value: string; from: string }[];
    };
    return { ...rest, from: Object.fromEntries(facts.map(({ what, from }) => [what, from])), stderr };
  };

  test("gives a TUM recording's facts and their sources", async () => {
    const path = disk.folder(tumContents(4));
    expect(await said(path)).toMatchObject({
      recording: path,
      format: "tum",
      width: 7,
      height: 5,
      frames: 4,
      durationMs: expect.closeTo(100, 0),
      metresPerUnit: 1 / 5000,
      hasColor: true,
      hasPose: true,
      validShare: 34 / 35,
      nearestM: expect.closeTo(1017 / 5000, 6),
      farthestM: expect.closeTo(1578 / 5000, 6),
      warnings: [expect.stringMatching(/no intrinsics are given/)],
      from: {
        format: "files",
        frames: "files",
        unit: "TUM default",
        intrinsics: "TUM default",
        fps: "files",
        colour: "files",
      },
    });
  });

  test("prefers options to recording.json, prefers recording.json to guesses, and warns of each guess", async () => {
    const recording = disk.folder({
      "000000.png": depthPng(depthValues(0, 9)),
      "recording.json": '{ "metresPerUnit": 0.0005, "invalid": [9] }',
    });
    const own = await said(recording);
    expect(own).toMatchObject({ metresPerUnit: 0.0005, fps: 30, frames: 1, durationMs: 0, hasColor: false });
    expect(own.from).toMatchObject({ unit: "recording.json", invalid: "recording.json" });
    expect(own.from).toMatchObject({ fps: "assumed", intrinsics: "assumed" });
    expect(own.stderr.trim().split("\n")).toHaveLength(2);
    const told = await said(recording, "--depth-scale", "0.002", "--fps", "15", "--intrinsics", "6,7,3,2");
    expect(told).toMatchObject({ metresPerUnit: 0.002, fps: 15, warnings: [], stderr: "" });
    expect(told).toMatchObject({ intrinsics: { fx: 6, fy: 7, cx: 3, cy: 2, width: 7, height: 5 } });
    expect(told.from).toMatchObject({ unit: "option", fps: "option", intrinsics: "option" });
  });

  test("describes a recording in words without --json", async () => {
    const { status, stdout } = await depthloom("info", disk.folder(tumContents(3)));
    expect(status).toBe(0);
    const lines = [
      /^format +tum \(files\)$/m,
      /^size +7×5 /m,
      /^frames +3, 0\.1 s/m,
      /^unit +0\.2 mm \(TUM default\)$/m,
    ];
    for (const line of lines) expect(stdout).toMatch(line);
    expect(stdout).toMatch(/^first frame +97\.1 % valid, 0\.20 to 0\.32 m, with colour, with a pose, intrinsics /m);
  });

  test("counts a step back of the clock as one period", async () => {
    const about = JSON.stringify({ metresPerUnit: 0.001, times: "times.csv" });
    const images = Object.fromEntries([0, 1, 2, 3].map((i) => [`${i}.png`, depthPng(depthValues(i))]));
    const times = "time_ms\n5000\n5033\n100\n133\n";
    expect(await said(disk.folder({ ...images, "times.csv": times, "recording.json": about }))).toMatchObject({
      frames: 4,
      durationMs: 99,
    });
  });

  test("fails with one line for a path that does not exist", async () => {
    const { status, stdout, stderr } = await depthloom("info", join(disk.root, "nowhere"));
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/nowhere: there is no such file/);
  });

  test("gives a recording's noise and depth step, and null if there is too little to measure", async () => {
    const random = uniform(1);
    const wall = Uint16Array.from({ length: 160 * 120 }, () => 2000 + 6 * Math.floor(5 * random()));
    const folder = disk.folder({
      "depth/0.png": depthPng(wall, 160, 120),
      "recording.json": '{ "metresPerUnit": 0.001 }',
    });
    const { noise } = (await said(folder)) as { noise?: { aMm: number; bPerM2Mm: number; text: string } };
    // The depth has five values, equally frequent and 6 mm apart.
    const sigma = (noise?.aMm ?? 0) + 4 * (noise?.bPerM2Mm ?? 0);
    expect(Math.abs(sigma - 6 * Math.SQRT2)).toBeLessThan(1.5);
    expect(noise?.text).toMatch(/^noise \d.* mm at 2 m; depth in steps of 6\.0 mm at 2 m$/);
    expect((await depthloom("info", folder)).stdout).toMatch(
      /^noise +\d.* mm at 2 m; depth in steps of 6\.0 mm at 2 m$/m,
    );
    expect(await said(disk.folder(tumContents(2)))).toMatchObject({ noise: null });
  });
});

test("info lists several depth topics of a file, and replay refuses the file without --topic", async () => {
  const image = write.ros2Depth(0);
  const lens = { topic: "/a/camera_info", time: 0, message: write.ros2Lens() };
  const images = ["/a/image", "/b/image"].map((topic) => ({ topic, time: 5, message: image }));
  const path = disk.file("two.mcap", await mcapOf([lens, ...images]));
  const { status, stdout, stderr } = await depthloom("info", path);
  const told = "it has 2 depth topics; this describes /a/image (the option topic chooses another one)";
  expect([status, stderr]).toEqual([0, `warning: ${path}: ${told}\n`]);
  expect(stdout).toMatch(/^topic +\/a\/image \(sensor_msgs\/Image 16UC1\) \(option\)$/m);
  expect(stdout).toMatch(/^intrinsics +fx 5\.5, .* \(topic \/a\/camera_info\)$/m);
  expect(stdout).toMatch(/^depth topic +\/a\/image: .* 6×4, 1 frame, 1 mm, fx 5\.5.*\(topic \/a\/camera_info\)$/m);
  expect(stdout).toMatch(/^depth topic +\/b\/image: .*, no intrinsics$/m);
  const replay = await depthloom("replay", path, "--backend", "cpu");
  expect(replay.status).toBe(1);
  expect(replay.stderr).toMatch(/it has 2 depth topics; choose one:\n(?: {2}\S.*\n){2}\(--topic chooses one\)\n$/);
});
