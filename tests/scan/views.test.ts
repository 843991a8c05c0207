import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compose, invert, rigid } from "../../core/pose.ts";
import { filtersOf } from "../../run/filter/filter.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { scan } from "../../scan/index.ts";
import { scanSource } from "../../scan/scan.ts";
import { Views } from "../../scan/views.ts";
import { openRecording } from "../../sources/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { VIEW_FORMATS, viewFiles } from "../../write/views.ts";
import { useFolder } from "../sources/fixtures.ts";

// The folders for splats and photogrammetry, read back by Depthloom's readers and by a second one in Python.

const disk = useFolder();

const PYTHON = "/usr/bin/python3";

function hasPython(): boolean {
  try {
    execFileSync(PYTHON, ["-c", "import numpy, cv2"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

type Format = (typeof VIEW_FORMATS)[number];
const all = new Map<Format, ReturnType<typeof write>>();

/** A scan's folder of each format, written once. */
function written(format: Format): ReturnType<typeof write> {
  const folder = all.get(format) ?? write(format);
  all.set(format, folder);
  return folder;
}

async function write(format: Format) {
  const size = { width: 160, height: 120, frames: 60, fps: 3, noise: false } as const;
  const room = syntheticRoom({ ...size, scene: "desk", cameraMotion: "orbit" });
  const read = async (index: number) => ({
    ...(await room.read(4 * index)),
    index,
    pose: await room.pose(4 * index),
  });
  const source = { ...room, length: 6, read };
  const folder = join(disk.root, `${format}-${Math.random()}`);
  const views = await Views.create(folder, format);
  const chosen = filtersOf(chooseStages(undefined, undefined));
  const request = {
    ...({
      recording: "desk",
      chosen,
      backend: "cpu",
      adapter: "auto",
      noise: "off",
      start: 0,
      frames: 6,
      views,
    } as const),
    ...{ voxelM: 0.02, farM: undefined, mostMegabytes: 200, crop: undefined, leastPiece: 300, triangles: undefined },
  };
  const stop = new AbortController().signal;
  const scan = await scanSource(source, request, { warn() {}, note() {}, progress() {}, stop });
  return { folder, scan, count: views.count, lens: (await read(0)).intrinsics };
}

test.each(VIEW_FORMATS)("%s: our readers give the lens and the poses that were written", async (format) => {
  const { folder, scan, count, lens } = await written(format);
  expect(count).toBeGreaterThan(2);
  const recording = await openRecording(folder);
  expect(recording.length).toBe(count);
  const frame = await recording.read(count - 1);
  expect(frame.intrinsics.cx).toBeCloseTo(lens.cx, 6);
  expect(frame.color).toBeDefined();
  expect(frame.metresPerUnit).toBe(0.001);
  const poses = await Promise.all(Array.from({ length: count }, (_, i) => recording.read(i)));
  await recording.close();
  const last = Float64Array.from(poses[count - 1].pose?.slice(0, 12) ?? []);
  const first = Float64Array.from(poses[0].pose?.slice(0, 12) ?? []);
  const moved = compose(rigid(), invert(rigid(), first), last);
  const asked = scan.poses.map(({ toWorld }) => Math.hypot(...[3, 7, 11].map((k) => toWorld[k] - moved[k])));
  expect(Math.min(...asked)).toBeLessThan(1e-5);
  expect(Math.hypot(moved[3], moved[7], moved[11])).toBeGreaterThan(0.03);
});

test.skipIf(!hasPython()).each(VIEW_FORMATS)(
  "%s: a second reader finds the seed points on the depth images",
  async (format) => {
    const { folder, count } = await written(format);
    const script = fileURLToPath(new URL("readViews.py", import.meta.url));
    const found: [number, number][] = JSON.parse(execFileSync(PYTHON, [script, folder], { encoding: "utf8" }));
    expect(found).toHaveLength(count);
    for (const [medianMm, share] of found) {
      expect(medianMm).toBeLessThan(6);
      expect(share).toBeGreaterThan(0.5);
    }
  },
);

test("pixels that the colour camera does not see are transparent in a view, not black", async () => {
  const room = syntheticRoom({ width: 32, height: 24, frames: 1, noise: false });
  const frame = await room.read(0);
  frame.color?.data.fill(0, 0, 4 * 32);
  const folder = join(disk.root, "gaps");
  const views = await Views.create(folder, "colmap");
  await views.add(frame, rigid(), rigid());
  await views.finish(
    { poseOf: () => rigid() },
    {
      positions: new Float32Array(),
      normals: new Float32Array(),
      colours: new Uint8Array(),
      indices: new Uint32Array(),
    },
    30,
  );
  const recording = await openRecording(folder);
  const { color } = await recording.read(0);
  await recording.close();
  expect([color?.data[3], color?.data[4 * 32 + 3]]).toEqual([0, 255]);
});

test("a lens that the program does not know is refused at the first view, before a scan that would be lost", async () => {
  const room = syntheticRoom({ width: 32, height: 24, frames: 1, noise: false });
  const frame = await room.read(0);
  const intrinsics = { ...frame.intrinsics, distortion: [0.1, 0, 0, 0], distortionModel: "fisheye" } as const;
  const views = await Views.create(join(disk.root, "fisheye"), "colmap");
  await expect(views.add({ ...frame, intrinsics }, rigid(), rigid())).rejects.toThrow("colmap does not know");
  expect(readdirSync(views.folder.path)).toEqual([]);
});

test("a bent lens is written as OpenCV's, and one that the program does not know is refused", () => {
  const lens = { width: 7, height: 5, fx: 5, fy: 5, cx: 3, cy: 2, distortion: [0.1, 0, 0, 0, 0.01] };
  const none = { positions: new Float32Array(), colours: new Uint8Array() };
  expect(viewFiles("colmap", lens, [], none).get("sparse/0/cameras.txt")).toContain(
    "1 FULL_OPENCV 7 5 5 5 3.5 2.5 0.1 0 0 0 0.01 0 0 0",
  );
  const rational = { ...lens, distortion: [0.1, 0, 0, 0, 0.01, 0.2], distortionModel: "rational" } as const;
  expect(viewFiles("colmap", rational, [], none).get("sparse/0/cameras.txt")).toContain("0.1 0 0 0 0.01 0.2 0 0");
  const fisheye = { ...lens, distortionModel: "fisheye" } as const;
  for (const unknown of [rational, fisheye, { ...fisheye, distortion: [0, 0, 0, 0] }])
    expect(() => viewFiles("nerfstudio", unknown, [], none)).toThrow(
      /nerfstudio does not know: add the stage undistort/,
    );
});

test("colour that begins after the first frame colours the mesh, and frames without it become no views", async () => {
  const size = { width: 160, height: 120, frames: 60, fps: 3, noise: false } as const;
  const room = syntheticRoom({ ...size, scene: "desk", cameraMotion: "orbit" });
  const from = (colourFrom: number) => ({
    ...room,
    length: 6,
    read: async (index: number) => {
      const { color, ...rest } = await room.read(4 * index);
      return { ...rest, index, pose: await room.pose(4 * index), ...(index >= colourFrom && color && { color }) };
    },
  });
  const how = { voxelM: 0.02, backend: "cpu" } as const;
  const lines: string[] = [];
  const { mesh } = await scan(from(1), { ...how, onWarning: (line) => lines.push(line) });
  expect([mesh.colours.length, lines]).toEqual([mesh.positions.length, []]);
  const late = await scan(from(4), { ...how, onWarning: (line) => lines.push(line) });
  expect([late.mesh.colours.length, lines]).toEqual([0, [expect.stringContaining("the mesh gets no colour")]]);
  const views = async (colourFrom: number) => {
    const folder = await Views.create(join(disk.root, `late${colourFrom}`), "colmap");
    const { read } = from(colourFrom);
    for (let i = 0; i < 6; i++) {
      const frame = await read(i);
      await folder.add(frame, rigid(), Float64Array.from(frame.pose.slice(0, 12)));
    }
    return folder;
  };
  const { count, colourless } = await views(2);
  expect([count > 1, colourless]).toEqual([true, 2]);
  const none = { positions: new Float32Array(), normals: new Float32Array(), colours: new Uint8Array() };
  const finish = (await views(6)).finish({ poseOf: () => rigid() }, { ...none, indices: new Uint32Array() }, 30);
  await expect(finish).rejects.toThrow("the frames have no colour, and colmap begins with colour images");
});
