import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "fast-png";
import { beforeAll, describe, expect, test } from "vitest";
import { MANIFEST } from "../../run/report/ownFolder.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writeTum } from "../../write/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { type Document, depthloom, replayed } from "./command.ts";

// The command replay end to end, on a synthetic TUM sequence that is written here.

const disk = useFolder();
const recording = join(disk.root, "room");
const FRAMES = 5;
const [WIDTH, HEIGHT] = [160, 120];
const SMALL_VIEW = ["--view-size", "320x180"];

beforeAll(async () => {
  await writeTum(syntheticRoom({ width: WIDTH, height: HEIGHT, frames: FRAMES }), recording);
});

const shas = ({ outputs }: Document) => outputs.map(({ depthSha256 }) => depthSha256);
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
const readPng = (...path: string[]) => {
  const { data, ...rest } = decode(readFileSync(join(...path)));
  return { data: Array.from(data), ...rest };
};

describe("replay --json", () => {
  test("prints the run's facts, each stage's times and each frame's counts and hash", async () => {
    const document = await replayed(recording, "--backend", "cpu", ...SMALL_VIEW);
    const { stages, frame, outputs, ...rest } = document;
    expect(rest).toEqual({
      recording,
      format: "tum",
      width: WIDTH,
      height: HEIGHT,
      metresPerUnit: 1 / 5000,
      frames: FRAMES,
      dropped: 0,
      unreadable: 0,
      empty: 0,
      overflow: 0,
      camera: { still: FRAMES, moved: 0, lost: 0, anew: 0 },
      backend: "cpu",
      adapter: null,
      budgetMs: 1000 / 30,
      clock: "wall",
      clockResolutionUs: expect.any(Number),
    });
    const names = stages.map(({ name }) => name).join(" ");
    expect(names).toBe("despeckle median bilateralGrid track temporal compact dofSplat");
    for (const times of [...stages, frame]) {
      expect(times.p50Ms).toBeGreaterThan(0);
      expect(times.p95Ms).toBeGreaterThanOrEqual(times.p50Ms);
      expect(times.p99Ms).toBeGreaterThanOrEqual(times.p95Ms);
      expect(times.maxMs).toBeGreaterThanOrEqual(times.p99Ms);
    }
    for (const { share, p50Ms } of stages) expect(share).toBeCloseTo(p50Ms / (1000 / 30), 5);
    expect(frame.overBudget).toBeLessThanOrEqual(FRAMES);
    expect(outputs.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(outputs.map(({ timestamp }) => timestamp)).toEqual([0, 33.333, 66.667, 100, 133.333]);
    for (const { validIn, validOut, points, depthSha256 } of outputs) {
      expect(validIn).toBeGreaterThan((WIDTH * HEIGHT) / 2);
      expect(points).toBe(validOut);
      expect(validOut).toBeLessThanOrEqual(validIn);
      expect(validOut).toBeGreaterThan(0.97 * validIn);
      expect(depthSha256).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(new Set(shas(document)).size).toBe(FRAMES);
  });

  test("has null points without compact, and all valid pixels as points without a filter", async () => {
    const filtered = await replayed(recording, "--stages", "median", "--backend", "cpu");
    const unfiltered = await replayed(recording, "--stages", "compact", "--backend", "cpu");
    expect(filtered.outputs.map(({ points }) => points)).toEqual(Array(FRAMES).fill(null));
    expect(shas(filtered)).not.toEqual(shas(unfiltered));
    expect(unfiltered.outputs.map(({ points }) => points)).toEqual(unfiltered.outputs.map(({ validIn }) => validIn));
  });

  test("plays the frames that --start, --frames and --loop choose, with the recording's indices", async () => {
    const args = ["--stages", "median", "--backend", "cpu"];
    const indices = async (...more: string[]) =>
      (await replayed(recording, ...args, ...more)).outputs.map((o) => o.index);
    expect(await indices("--start", "3")).toEqual([3, 4]);
    expect(await indices("--start", "1", "--frames", "2", "--loop", "3")).toEqual([1, 2, 1, 2, 1, 2]);
    expect(await indices("--frames", "1000")).toEqual([0, 1, 2, 3, 4]);
  });

  test("with --policy latest plays at the recording's pace and counts dropped frames", async () => {
    const asked = ["--policy", "latest", "--backend", "cpu", ...SMALL_VIEW];
    const { frames, dropped, outputs } = await replayed(recording, ...asked);
    expect(frames + dropped).toBe(FRAMES);
    expect(outputs).toHaveLength(frames);
    expect(outputs.at(-1)?.index).toBe(FRAMES - 1);
  });
});

describe("replay --out", () => {
  const out = join(disk.root, "out");
  let document: Document;
  beforeAll(async () => {
    document = await replayed(recording, "--backend", "cpu", "--ply", "--out", out, ...SMALL_VIEW);
  });

  test("writes every file, whole", () => {
    const files = `${MANIFEST} depth latency.json points recording.json settings.json times.csv trace.json view`;
    expect(readdirSync(out).sort().join(" ")).toBe(files);
    const names = (end: string) => Array.from({ length: FRAMES }, (_, i) => `00000${i}.${end}`);
    expect(readdirSync(join(out, "depth"))).toEqual(names("png"));
    expect(readdirSync(join(out, "view"))).toEqual(names("png"));
    expect(readdirSync(join(out, "points"))).toEqual(names("ply"));
  });

  test("writes 16-bit depth in the recording's unit, which replays with the same depth", async () => {
    expect(readPng(out, "depth", "000000.png")).toMatchObject({ width: WIDTH, height: HEIGHT, depth: 16, channels: 1 });
    const again = await replayed(out, "--stages", "compact", "--backend", "cpu");
    expect(again).toMatchObject({ format: "png", metresPerUnit: 1 / 5000 });
    const times = ({ outputs }: Document) => outputs.map(({ timestamp }) => timestamp);
    expect(times(again)).toEqual(times(document));
    expect(shas(again)).toEqual(shas(document));
    const written = await disk.open(out);
    const { fx, cx } = (await written.read(0)).intrinsics;
    expect([fx, cx]).toEqual([(525 * WIDTH) / 640, (WIDTH - 1) / 2]);
  });

  test("writes filtered depth: valid pixels change a little, a few are dropped and none is added", async () => {
    const source = await disk.open(recording);
    for (let i = 0; i < FRAMES; i++) {
      const before = (await source.read(i)).depth.data;
      const after = readPng(out, "depth", `00000${i}.png`).data;
      const valid = Array.from(before.keys()).filter((at) => before[at] !== 0);
      const kept = valid.filter((at) => after[at] !== 0);
      // No invalid pixel has become valid. The image is small, so that edges are a large part of it.
      expect(after.filter((value) => value !== 0)).toHaveLength(kept.length);
      expect(kept.length).toBeGreaterThan(0.97 * valid.length);
      const moved = kept.map((at) => Math.abs(after[at] - before[at]) / before[at]).sort((a, b) => a - b);
      expect(moved[Math.floor(moved.length / 2)]).toBeGreaterThan(0);
      expect(moved[Math.floor(moved.length * 0.9)]).toBeLessThan(0.02);
    }
  });

  test("writes points at the places that depth gives, with the image's colours", async () => {
    const source = await disk.open(recording);
    const { intrinsics, color } = await source.read(2);
    const depth = readPng(out, "depth", "000002.png").data;
    const ply = readFileSync(join(out, "points", "000002.ply"));
    const end = ply.indexOf("end_header\n") + "end_header\n".length;
    expect(ply.toString("latin1", 0, end)).toContain(`element vertex ${document.outputs[2]?.points}\n`);
    const pixels = Array.from(depth.keys()).filter((at) => depth[at] !== 0);
    expect(ply.length - end).toBe(pixels.length * 15);
    const { fx, fy, cx, cy } = intrinsics;
    for (let i = 0; i < pixels.length; i += 97) {
      const [pixel = 0, at] = [pixels[i], end + i * 15];
      const z = depth[pixel] / 5000;
      expect(ply.readFloatLE(at)).toBeCloseTo((((pixel % WIDTH) - cx) / fx) * z, 5);
      expect(ply.readFloatLE(at + 4)).toBeCloseTo(((Math.floor(pixel / WIDTH) - cy) / fy) * z, 5);
      expect(ply.readFloatLE(at + 8)).toBeCloseTo(z, 5);
      expect([...ply.subarray(at + 12, at + 15)]).toEqual([...(color?.data.subarray(pixel * 4, pixel * 4 + 3) ?? [])]);
    }
  });

  test("writes a picture of the scene seen from the sensor", async () => {
    const source = await disk.open(recording);
    const { color } = await source.read(2);
    const view = readPng(out, "view", "000002.png");
    expect(view).toMatchObject({ width: 320, height: 180, depth: 8, channels: 3 });
    // 120 rows became 180, and 160 columns 240 of the 320: pixel by pixel, most have the image's colour.
    const apart: number[] = [];
    for (let y = 8; y < 172; y += 4) {
      for (let x = 48; x < 272; x += 4) {
        const [u, v] = [Math.round((x - 159.5) / 1.5 + 79.5), Math.round((y - 89.5) / 1.5 + 59.5)];
        const of = (c: number) => Math.abs(view.data[(y * 320 + x) * 3 + c] - (color?.get(v, u, c) ?? 0));
        apart.push(Math.max(of(0), of(1), of(2)));
      }
    }
    expect(apart.sort((a, b) => a - b)[Math.floor(apart.length * 0.6)]).toBeLessThan(24);
    const edge = [0, 1, 2].map((c) => view.data[(90 * 320 + 5) * 3 + c]);
    expect(edge).toEqual([0, 0, 0]);
  });

  test("writes a settings.json that repeats the run, unless --set and --stages change it", async () => {
    const settings = join(out, "settings.json");
    const again = join(disk.root, "again");
    await replayed(recording, "--backend", "cpu", "--settings", settings, "--out", again, "--frames", "2");
    expect(readFileSync(join(again, "settings.json"), "utf8")).toBe(readFileSync(settings, "utf8"));
    expect(readFileSync(join(again, "view", "000001.png"))).toEqual(readFileSync(join(out, "view", "000001.png")));
    const other = join(disk.root, "other");
    const args = ["--settings", settings, "--set", "median.size=5", "--stages", "median", "--frames", "1"];
    await replayed(recording, "--backend", "cpu", ...args, "--out", other);
    expect(readJson(other, "settings.json")).toEqual({ stages: [{ name: "median", parameters: { size: 5 } }] });
  });

  test("gives a second stage of a kind its own name, in settings.json too", async () => {
    const [twice, again] = [join(disk.root, "twice"), join(disk.root, "twice again")];
    const few = ["--backend", "cpu", "--frames", "1"];
    const set = ["--stages", "median,coarse:median", "--set", "coarse.size=5"];
    const first = await replayed(recording, ...few, ...set, "--out", twice);
    expect(readJson(twice, "settings.json")).toEqual({
      stages: [
        { name: "median", parameters: { size: 3 } },
        { name: "coarse", stage: "median", parameters: { size: 5 } },
      ],
    });
    const settings = ["--settings", join(twice, "settings.json")];
    const second = await replayed(recording, ...few, ...settings, "--out", again);
    expect(second.stages.map(({ name }) => name)).toEqual(["median", "coarse"]);
    expect(shas(second)).toEqual(shas(first));
    const once = await replayed(recording, ...few, "--stages", "median");
    expect(shas(once)).not.toEqual(shas(first));
  });
});

test("replay without --json prints a table and no warning", async () => {
  const chain = ["--stages", "median,bilateralGrid,compact", "--backend", "cpu", "--noise", "off"];
  const { status, stdout, stderr } = await depthloom("replay", recording, ...chain);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(
    /room: tum, 160×120, 5 frames, 0 dropped, on CPU\n.*p50.*\nmedian .*\nbilateralGrid .*\ncompact .*\nframe /,
  );
});
