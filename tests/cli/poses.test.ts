import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writeTum } from "../../write/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { depthloom, replayed } from "./command.ts";

// The camera's poses come from the recording or from the stage track, and go into a file.

const disk = useFolder();
const [known, bare] = [join(disk.root, "known"), join(disk.root, "bare")];
const FRAMES = 6;
const STAGES = ["--stages", "median,track,temporal", "--backend", "cpu", "--noise", "off"];

const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split(" ").map(Number));

beforeAll(async () => {
  const room = () =>
    syntheticRoom({ width: 320, height: 240, frames: FRAMES, cameraMotion: "sway", color: false, noise: false });
  for (const place of [known, bare]) await writeTum(room(), place, { truth: false });
  rmSync(join(bare, "groundtruth.txt"));
});

describe("replay --poses", () => {
  test("writes the recording's own poses where it has them", async () => {
    const poses = join(disk.root, "known.txt");
    const { camera } = await replayed(known, ...STAGES, "--poses", poses);
    expect(camera).toEqual({ still: expect.any(Number), moved: expect.any(Number), lost: 0, anew: 0 });
    const truth = linesOf(join(known, "groundtruth.txt"));
    const found = linesOf(poses);
    expect(found).toHaveLength(FRAMES);
    for (const [i, line] of found.entries()) {
      for (const [k, value] of line.entries()) expect(value).toBeCloseTo(truth[i]?.[k] ?? Number.NaN, 5);
    }
  });

  test("writes the poses that track finds, from the first frame's place", async () => {
    const poses = join(disk.root, "bare.txt");
    await replayed(bare, ...STAGES, "--poses", poses);
    const [truth, found] = [linesOf(join(known, "groundtruth.txt")), linesOf(poses)];
    expect(found.map(([time]) => time)).toEqual(truth.map(([time]) => time));
    expect(found[0]?.slice(1)).toEqual([0, 0, 0, 0, 0, 0, 1]);
    const far = (lines: number[][]) => Math.hypot(...[1, 2, 3].map((k) => (lines[5]?.[k] ?? 0) - (lines[0]?.[k] ?? 0)));
    expect(Math.abs(far(found) - far(truth))).toBeLessThan(0.003);
    expect(far(truth)).toBeGreaterThan(0.02);
  });

  test("writes the same poses as --out FILE.mcap, and --json has the camera's state in each frame", async () => {
    const [poses, file] = [join(disk.root, "kept.txt"), join(disk.root, "kept.mcap")];
    const { outputs, camera } = await replayed(bare, ...STAGES, "--poses", poses, "--out", file);
    const states = outputs.map((output) => output.camera);
    expect(states).toHaveLength(FRAMES);
    for (const name of ["still", "moved", "lost"] as const) {
      expect(states.filter((state) => state === name)).toHaveLength(camera?.[name] ?? -1);
    }
    const recording = await disk.open(file);
    for (const [i, line] of linesOf(poses).entries()) {
      const pose = await recording.pose(i);
      for (const k of [1, 2, 3]) expect(pose?.[4 * k - 1]).toBeCloseTo(line[k] ?? Number.NaN, 5);
    }
  });

  test("says where places begin anew, since nothing ties them to those before", async () => {
    const [cut, poses] = [join(disk.root, "cut"), join(disk.root, "cut.txt")];
    const size = { width: 160, height: 120, frames: FRAMES, color: false, noise: false };
    const [here, there] = [syntheticRoom(size), syntheticRoom({ ...size, view: "close" })];
    await writeTum({ ...here, read: (i) => (i < 3 ? here : there).read(i) }, cut, { truth: false });
    rmSync(join(cut, "groundtruth.txt"), { force: true });
    const { camera } = await replayed(cut, ...STAGES, "--poses", poses);
    expect(camera).toEqual({ still: FRAMES - 1, moved: 0, lost: 1, anew: 1 });
    const lines = readFileSync(poses, "utf8").split("\n").slice(2, -1);
    expect(lines.map((line) => line.startsWith("# the camera was lost here"))).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  test("refuses a place in the folder of results, or in none, before anything is opened", async () => {
    const out = join(disk.root, "clean");
    for (const [poses, why] of [
      [join(out, "poses.txt"), "is replaced by the results: give the poses a place outside of it"],
      [join(disk.root, "nowhere", "poses.txt"), "no such file or folder"],
    ]) {
      const { status, stderr } = await depthloom("replay", bare, ...STAGES, "--out", out, "--poses", poses);
      expect([status, stderr]).toEqual([expect.any(Number), expect.stringContaining(why)]);
      expect([existsSync(`${out}.partial`), existsSync(`${out}.partial.json`)]).toEqual([false, false]);
    }
  });

  test("refuses stages without track", async () => {
    const asked = [bare, "--stages", "median", "--poses", join(disk.root, "x.txt")];
    const { status, stderr } = await depthloom("replay", ...asked);
    expect(status).toBe(2);
    expect(stderr).toContain("--poses writes the camera's poses that track finds: add it to --stages");
  });
});

test("scan names the line of a file of poses that is none", async () => {
  const poses = disk.file("poses.txt", "# times and poses\nhello\n");
  const { status, stderr } = await depthloom("scan", bare, "--poses", poses, "--out", join(disk.root, "a.ply"));
  expect(stderr).toContain('poses.txt, line 2: a time in seconds comes first, not "hello"; correct or remove the line');
  expect(status).toBe(1);
});
