import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { image } from "../../core/array.ts";
import { compose, invert, rigid } from "../../core/pose.ts";
import { framesOf } from "../../core/streams.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { Interrupted } from "../../run/report/failure.ts";
import { scan } from "../../scan/index.ts";
import type { Before, Keep, Midway, ScanPose, ScanRequest } from "../../scan/keep.ts";
import { Placer } from "../../scan/place/placer.ts";
import { Stood } from "../../scan/place/stood.ts";
import { shiftM } from "../../scan/place/way.ts";
import { scanSource } from "../../scan/scan.ts";
import { SourceError } from "../../sources/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writeTum } from "../../write/index.ts";
import { built, depthloom, hashOf, start } from "../cli/command.ts";
import { slowTest } from "../mode.ts";
import { useFolder } from "../sources/fixtures.ts";

// `depthloom scan` and `scan()`: from a recording to a mesh.

const disk = useFolder();
const recording = join(disk.root, "desk");
const desk = (frames = 6) =>
  syntheticRoom({ scene: "desk", width: 160, height: 120, frames, cameraMotion: "handheld", noise: false });
const OPTIONS = ["--backend", "cpu", "--voxel", "2cm", "--noise", "off"];
const place = (name: string) => join(disk.root, name);

/** Has a command's clock run so fast that a scan keeps what it knows after every other frame. */
const HURRIED = [
  "--import",
  "data:text/javascript,const now=performance.now.bind(performance);performance.now=()=>500*now()",
];

beforeAll(async () => {
  await writeTum(desk(), recording, { truth: false });
});

describe("depthloom scan", () => {
  test("writes the same mesh and the recording's poses twice, and says how many triangles", async () => {
    const out = ["one", "two"].map((name) => [place(`${name}.ply`), place(`${name}.txt`)]);
    for (const [mesh, poses] of out) {
      const { status, stderr } = await depthloom("scan", recording, ...OPTIONS, "--out", mesh, "--poses-out", poses);
      expect(stderr).toMatch(/one\.ply|two\.ply: \d{4,} triangles of 6 frames/);
      expect(status).toBe(0);
    }
    expect(hashOf(out[0][0])).toBe(hashOf(out[1][0]));
    const lines = readFileSync(out[0][1], "utf8").split("\n").slice(2, -1);
    expect(lines).toHaveLength(6);
    expect(lines[0].split(" ").slice(1).map(Number)).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  slowTest("killed goes on, and leaves nothing beside its mesh", async () => {
    await built();
    const long = join(disk.root, "long");
    await writeTum(desk(60), long, { truth: false });
    await depthloom("scan", long, ...OPTIONS, "--out", place("whole.ply"));
    const args = ["scan", long, ...OPTIONS, "--out", place("killed.ply")];
    const { child, ended } = start(args, HURRIED);
    const isThere = () => existsSync(place("killed.partial.scan")) || child.exitCode !== null;
    await vi.waitUntil(isThere, { interval: 1, timeout: 30_000 });
    child.kill("SIGKILL");
    await ended;
    const lines = readFileSync(place("killed.partial.txt"), "utf8").split("\n").length;
    expect([lines > 3, lines < 2 + 60]).toEqual([true, true]);
    const kept = [place("killed.partial.scan"), place("killed.partial.scan.json")];
    const [values, said] = kept.map((path) => readFileSync(path));
    const far = Buffer.concat([Buffer.from(Float64Array.of(1e300).buffer), values.subarray(8)]);
    const odd = Buffer.concat([values.subarray(0, 8), Buffer.alloc(9e6, 255)]);
    for (const damaged of [values.subarray(0, 5), far, odd]) {
      writeFileSync(kept[0], damaged);
      const { status, stderr } = await depthloom(...args);
      expect([stderr, status]).toEqual([expect.stringContaining("killed.partial.scan: it is damaged; remove it"), 1]);
      writeFileSync(kept[1], said);
    }
    writeFileSync(kept[0], values);
    const { status, stderr } = await depthloom(...args);
    expect(stderr).toMatch(/going on after the \d+ frames? of a scan that was stopped/);
    expect(status).toBe(0);
    const [size, wholeSize] = ["killed.ply", "whole.ply"].map((name) => statSync(place(name)).size);
    expect(size / wholeSize).toBeCloseTo(1, 2);
    expect(readdirSync(disk.root).filter((name) => name.includes("killed"))).toEqual(["killed.ply"]);
  });

  test("takes poses from a file, and leaves out frames that have none there", async () => {
    const poses = place("given.txt");
    writeFileSync(poses, "# mine\n0.0 0 0 0 0 0 0 1\n0.0333 0.001 0 0 0 0 0 1\n");
    const { status, stderr } = await depthloom(
      ...["scan", recording, ...OPTIONS, "--out", place("given.glb"), "--poses", poses, "--frames", "2"],
      ...["--poses-out", place("used.txt")],
    );
    expect(stderr).toContain("2 frames");
    expect(stderr).toContain("given.txt: 2 of 6 frames have a pose");
    expect(status).toBe(0);
    expect(readFileSync(place("used.txt"), "utf8")).toContain("0.033333 0.001000 0.000000 0.000000");
  });

  test("refuses poses of another clock", async () => {
    const poses = place("late.txt");
    writeFileSync(poses, "1700000000.0 0 0 0 0 0 0 1\n1700000000.5 0 0 0 0 0 0 1\n");
    const { status, stderr } = await depthloom("scan", recording, "--out", place("late.glb"), "--poses", poses);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/none of its times, 1700000000 to 1700000000\.5 s, is/),
    ]);
  });

  test.each([
    [["--out", "model.fbx"], "it must end with .glb, .ply, .stl or .obj"],
    [["--out", "model.glb", "--voxel", "2m"], "It must be from 1mm to 50cm."],
    [["--out", "model.glb", "--crop", "0,0,0,1,1"], "It must be six numbers"],
    [["--out", "model.glb", "--stages", "median"], "add it to --stages"],
    [["--out", "model.glb", "--poses", "none.txt"], "none.txt: it cannot be read (ENOENT); give a file of poses"],
  ])("refuses %j", async (flags, why) => {
    const { status, stderr } = await depthloom("scan", recording, ...flags);
    expect(stderr).toContain(why);
    expect(status).toBeGreaterThan(0);
  });
});

/** Keeps a scan in memory: what it was each time that it was kept. */
class Memory implements Keep {
  poses: ScanPose[] = [];
  before: Before | undefined;

  async begin() {
    this.poses = [];
  }

  async pose(pose: ScanPose) {
    this.poses.push(pose);
  }

  async midway(midway: Midway, bricks: Uint8Array) {
    const [values, bytes] = [serialize(midway), bricks.slice()];
    this.before = { midway: deserialize(values), bricks: async (into) => into.set(bytes) };
  }
}

describe("a scan that was stopped goes on", () => {
  const chosen = chooseStages(["track"], undefined);
  const request = {
    ...({ chosen, backend: "cpu", adapter: "auto", noise: "off" } as const),
    start: 0,
    frames: undefined,
    voxelM: 0.02,
    mostMegabytes: 256,
    leastPiece: 0,
    triangles: Infinity,
    farM: undefined,
    crop: undefined,
  };
  const room = desk(36);
  const frames = new Map<number, ReturnType<typeof room.read>>();
  const read = (index: number) => {
    const frame = frames.get(index) ?? room.read(index);
    frames.set(index, frame);
    return frame;
  };
  const asked: number[] = [];
  const scanned = (
    length: number,
    more: Pick<ScanRequest, "keep" | "before">,
    stopAt = Infinity,
    damaged: number[] = [],
  ) => {
    const stop = new AbortController();
    const progress = (done: number) => done >= stopAt && stop.abort();
    const part = async (i: number) => {
      asked.push(i);
      if (damaged.includes(i)) throw new SourceError(`frame ${i}: damaged`);
      return read(i);
    };
    const source = { ...room, length, read: part };
    const listener = { warn() {}, note() {}, progress, stop: stop.signal };
    return scanSource(source, { ...request, ...more }, listener);
  };

  test("from the places of all frames, or from among its first 30 frames, to the same bytes", async () => {
    const [keep, cut, rest] = [new Memory(), new Memory(), new Memory()];
    const whole = await scanned(6, { keep });
    expect(keep.poses.map(({ timestamp }) => timestamp)).toEqual(whole.poses.map(({ timestamp }) => timestamp));
    const again = await scanned(6, { before: keep.before });
    expect(again.mesh.indices.length).toBeGreaterThan(3000);
    expect({ ...again, error: undefined }).toEqual({ ...whole, error: undefined });
    await expect(scanned(6, { keep: cut }, 3)).rejects.toThrow(Interrupted);
    expect(cut.before?.midway.placed.length).toBe(cut.poses.length);
    const { mesh } = await scanned(6, { keep: rest, before: cut.before });
    expect([cut.poses.length < 6, rest.poses]).toEqual([true, keep.poses]);
    expect(mesh).toEqual(whole.mesh);
  });

  test("from later on with the places that it had, and those of the last frames within a millimetre", async () => {
    const cut = new Memory();
    const whole = await scanned(36, {});
    await expect(scanned(36, { keep: cut }, 33)).rejects.toThrow(Interrupted);
    const had = cut.before?.midway.placed.length ?? 0;
    expect([had > 32, had < 36]).toEqual([true, true]);
    const { mesh, poses } = await scanned(36, { before: cut.before });
    const offM = poses.map(({ toWorld }, i) => shiftM(toWorld, whole.poses[i].toWorld));
    expect(offM.slice(0, had)).toEqual(Array(had).fill(0));
    expect(Math.max(...offM)).toBeLessThan(0.001);
    expect(mesh.indices.length / whole.mesh.indices.length).toBeCloseTo(1, 2);
  });

  test("in a recording some of whose frames cannot be read, without taking any frame twice or leaving out the last ones", async () => {
    const damaged = [1, 2, 4];
    const [cut, all] = [new Memory(), new Memory()];
    const whole = await scanned(36, { keep: all }, Infinity, damaged);
    await expect(scanned(36, { keep: cut }, 33, damaged)).rejects.toThrow(Interrupted);
    const { poses } = await scanned(36, { before: cut.before }, Infinity, damaged);
    expect(poses.map(({ timestamp }) => timestamp)).toEqual(whole.poses.map(({ timestamp }) => timestamp));
    expect(whole.poses.length).toBe(33);
    const offM = poses.map(({ toWorld }, i) => shiftM(toWorld, whole.poses[i].toWorld));
    expect(Math.max(...offM)).toBeLessThan(0.001);
    // The places of all frames are known, and the frames are added once more.
    const found = all.before?.midway.found;
    const begun = {
      found,
      placed: [],
      held: 0,
      tracked: undefined,
      placer: new Placer().state,
      stood: new Stood().state,
    };
    const before = { midway: { ...begun, model: undefined }, bricks: async () => {} };
    asked.length = 0;
    await scanned(36, { before }, Infinity, damaged);
    expect([whole.unplaced, Math.max(...asked)]).toEqual([0, 35]);
  });
});

test("scan() of frames with their poses gives a mesh on the scene's surfaces", async () => {
  const room = desk(8);
  const read = async (index: number) => ({ ...(await room.read(index)), pose: await room.pose(index) });
  const posed = { ...room, read };
  const progress: number[] = [];
  const onProgress = (done: number) => progress.push(done);
  const { mesh, poses, unplaced, error } = await scan(posed, { voxelM: 0.015, backend: "cpu", onProgress });
  expect([error, unplaced, poses.length, progress.at(-1)]).toEqual([undefined, 0, 8, 8]);
  const { metres } = room.groundTruth(0);
  const { fx, fy, cx, cy } = (await room.read(0)).intrinsics;
  const off: number[] = [];
  for (let i = 0; i < mesh.positions.length; i += 3) {
    const [x, y, z] = mesh.positions.subarray(i, i + 3);
    const [u, v] = [Math.round((x / z) * fx + cx), Math.round((y / z) * fy + cy)];
    if (u >= 0 && v >= 0 && u < 160 && v < 120) off.push(Math.abs(metres.get(v, u) - z));
  }
  off.sort((a, b) => a - b);
  expect(off.length).toBeGreaterThan(3000);
  expect(off[off.length >> 1]).toBeLessThan(0.003);
  expect(off[Math.floor(0.9 * off.length)]).toBeLessThan(0.02);
});

test("a frame larger than those before ends a scan with a mesh of these, and says the sizes", async () => {
  const [small, large] = [desk(3), syntheticRoom({ scene: "desk", width: 200, height: 150, frames: 3 })];
  const read = async (index: number) => {
    const room = index < 2 ? small : large;
    return { ...(await room.read(index)), pose: await room.pose(index) };
  };
  const mixed = { ...small, read };
  const { mesh, poses, error } = await scan(mixed, { voxelM: 0.02, backend: "cpu" });
  expect([poses.length, mesh.indices.length > 1000]).toEqual([2, true]);
  expect(String(error)).toMatch(/a frame of 200 × 150 pixels follows on smaller ones of 19200 pixels/);
});

test("after a second in the dark the camera is found; where it comes back, loops move the frames to the right places", async () => {
  const size = { width: 160, height: 120, noise: false, color: false };
  const room = syntheticRoom({ ...size, frames: 600, cameraMotion: "handheld" });
  // So fast that the tracker loses the camera now and then.
  const read = async (index: number) => {
    const frame = { ...(await room.read(4 * index)), index };
    return isDark(index) ? { ...frame, depth: image(new Uint16Array(160 * 120), [120, 160]) } : frame;
  };
  const source = { ...room, length: 80, read };
  const isDark = (index: number) => index >= 24 && index < 32;
  const progress: number[] = [];
  const onProgress = (done: number) => progress.push(done);
  const { mesh, poses, loops, movedM, unplaced } = await scan(source, { voxelM: 0.02, backend: "cpu", onProgress });
  expect([poses.length, unplaced, mesh.indices.length > 3e4]).toEqual([72, 8, true]);
  expect(loops).toBeGreaterThan(5);
  expect(movedM).toBeGreaterThan(0.003);
  expect(progress.some((done, i) => done < progress[i - 1])).toBe(true);
  const first = invert(rigid(), Float64Array.from(await room.pose(0)));
  const lit = Array.from({ length: 80 }, (_, index) => index).filter((index) => !isDark(index));
  const truth = await Promise.all(lit.map((index) => room.pose(4 * index)));
  const off = poses.map(({ toWorld }, i) => shiftM(toWorld, compose(rigid(), first, Float64Array.from(truth[i]))));
  expect(off.reduce((a, b) => a + b) / off.length).toBeLessThan(0.02);
  // The same frames as a stream, which cannot be read twice.
  const about = { name: "stream", format: "test", fps: 30, warnings: [] };
  const stream = { ...about, frames$: framesOf({ length: 80, read }), close: async () => {} };
  const warnings: string[] = [];
  await scan(stream, { voxelM: 0.02, backend: "cpu", onWarning: (line) => warnings.push(line) });
  expect(warnings.join("\n")).toMatch(/^the mesh is up to \d+ mm off: .*; record the stream/m);
});
