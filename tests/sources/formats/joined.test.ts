import { describe, expect, test } from "vitest";
import { openRecording } from "../../../sources/index.ts";
import { colorPng, tumContents, useFolder } from "../fixtures.ts";
import { depths, many, opened as openedIn } from "../opening.ts";

// Lists of poses are joined to frames by the clock that most frames share, and the order of a turn's numbers is told where it is doubtful.

const disk = useFolder();
const opened = (contents: Parameters<typeof openedIn>[1]) => openedIn(disk, contents);
const rows = (count: number, of: (i: number) => readonly (number | string)[]) =>
  Array.from({ length: count }, (_, i) => `${of(i).join(" ")}\n`).join("");
/** Frames at 0, 33, 66 … ms, by a text of times. */
const timed = (count: number) => ({
  ...depths(count, (i) => `depth/${i}.png`),
  "timestamps.txt": rows(count, (i) => [(0.033 * i).toFixed(3)]),
});
const xs = (places: readonly (readonly number[] | undefined)[]) => places.map((place) => place?.[0]);

describe("a list of poses by time", () => {
  test.each([
    ["s", 0.033],
    ["ms", 33],
    ["µs", 33_000],
    ["ns", 33_000_000],
  ])("in %s belongs to all frames, also where the clock begins at 0", async (_, step) => {
    const { places, told } = await opened({
      ...timed(5),
      "poses.txt": rows(5, (i) => [step * i, i, 0, 0, 0, 0, 0, 1]),
    });
    expect(xs(places)).toEqual([0, 1, 2, 3, 4]);
    expect(told).not.toContain("pose");
  });

  test("that begins more than a second late belongs to the frames from there on, and few poses are told", async () => {
    const late = rows(20, (i) => [(0.033 * (i + 40)).toFixed(3), i + 40, 0, 0, 0, 0, 0, 1]);
    const { places, told } = await opened({ ...timed(60), "poses.txt": late });
    expect(xs(places)).toEqual([...Array(40).fill(undefined), ...Array.from({ length: 20 }, (_, i) => 40 + i)]);
    expect(told).toContain("poses.txt: 20 of 60 frames have a pose, the others none within 20 ms of their time");
  });
});

test("poses of another clock in a TUM sequence leave frames without, which is told", async () => {
  const moved = tumContents(3)["groundtruth.txt"].toString().replaceAll("100.0", "900.0");
  const { places, told } = await opened({ ...tumContents(3), "groundtruth.txt": moved });
  expect(places).toEqual([undefined, undefined, undefined]);
  expect(told).toContain("groundtruth.txt: 0 of 3 frames have a pose");
});

describe("turns without names whose first number is nearly 1", () => {
  const real = [0.99999, 0.001, 0.002, 0.001];
  test.each([
    ["eight columns", (i: number) => [i, 0.1 * i, 0, 0, ...real]],
    ["seven columns", (i: number) => [0.1 * i, 0, 5, ...real]],
  ])("in %s have the real part first, which is said", async (_, row) => {
    const { frames, told } = await opened({ ...depths(3, (i) => `depth/${i}.png`), "poses.txt": rows(3, row) });
    expect(frames[0].pose?.[5]).toBeCloseTo(1, 4);
    expect(told).toMatch(/poses\.txt: .*real part.* first/);
  });
  test.each(["groundtruth.txt", "CameraTrajectory.txt", "run_tum.txt"])(
    "have it last in %s, as its maker says",
    async (name) => {
      const list = rows(3, (i) => [i, 0, 0, 0, ...real]);
      const { frames, told } = await opened({ ...depths(3, (i) => `depth/${i}.png`), [name]: list });
      expect([frames[0].pose?.[5], told.includes("real part")]).toEqual([expect.closeTo(-1, 4), false]);
    },
  );
  test("have it last in a list with times, as TUM's have, which is said", async () => {
    const list = rows(3, (i) => [0.033 * i, 0, 0, 0, 1, 0, 0, 0]);
    const { frames, told } = await opened({ ...timed(3), "poses.txt": list });
    expect(frames[0].pose?.[5]).toBe(-1);
    expect(told).toMatch(/poses\.txt: .*real part.* last/);
  });
  test("have it last in Record3D's metadata.json", async () => {
    const poses = [0, 1, 2].map((i) => [1, 0, 0, 0, i, 0, 0]);
    const text = JSON.stringify({ fps: 30, poses, initPose: poses[0] });
    const { frames, told } = await opened({ ...depths(3, (i) => `depth/${i}.png`), "metadata.json": text });
    expect([frames[0].pose?.[10], told.includes("real part")]).toEqual([1, false]);
  });
  test("are not asked for where a heading names them, nor told where the real part is plainly last", async () => {
    const named = `t x y z qx qy qz qw\n${rows(3, (i) => [i, 0, 0, 0, ...real])}`;
    const one = await opened({ ...depths(3, (i) => `depth/${i}.png`), "poses.txt": named });
    expect([one.frames[0].pose?.[5], one.told.includes("real part")]).toEqual([expect.closeTo(-1, 4), false]);
    const plain = rows(3, (i) => [i, 0, 0, 0, 0.001, 0.002, 0.001, 0.99999]);
    const two = await opened({ ...depths(3, (i) => `depth/${i}.png`), "poses.txt": plain });
    expect([two.frames[0].pose?.[5], two.told.includes("real part")]).toEqual([expect.closeTo(1, 4), false]);
  });
});

describe("numbers of ten digits that count frames", () => {
  test.each([
    ["one by one", 1],
    ["by five", 5],
    ["by thirty-three", 33],
  ])("%s are no times", async (_, step) => {
    const names = (i: number) => `depth/${String(5 + step * i).padStart(10, "0")}.png`;
    const { frames, told } = await opened(depths(4, names));
    expect(frames.map(({ timestamp }) => Math.round(timestamp))).toEqual([0, 33, 67, 100]);
    expect(told).toContain("30");
  });

  test("are times where they count µs, as Redwood's", async () => {
    const names = (i: number) => `depth/${i + 1}-${String(33_369 * i).padStart(12, "0")}.png`;
    const { frames } = await opened(depths(4, names));
    expect(frames.map(({ timestamp }) => Math.round(timestamp))).toEqual([0, 33, 67, 100]);
  });

  test("of a drive of KITTI's leave it its ten frames a second", async () => {
    const P = (b: number) => `700 0 3 ${b} 0 700 2 0 0 0 1 0`;
    const pairs = many(4, (i) => [`image_02/data/${String(i).padStart(10, "0")}.png`, depths(1, () => "a").a]);
    const rights = Object.fromEntries(Object.entries(pairs).map(([name, png]) => [name.replace("02", "03"), png]));
    const calibration = `P_rect_02: ${P(7)}\nP_rect_03: ${P(-371)}\n`;
    const found = await opened({ ...pairs, ...rights, "calib_cam_to_cam.txt": calibration });
    expect([found.format, found.fps, found.frames.map(({ timestamp }) => timestamp)]).toEqual([
      "pair",
      10,
      [0, 100, 200, 300],
    ]);
  });
});

const K = (f: number) => [f, 0, 3, 0, f, 2, 0, 0, 1];
const bop = (f: (i: number) => number) =>
  JSON.stringify(Object.fromEntries([0, 1, 2].map((i) => [`${i}`, { cam_K: K(f(i)), depth_scale: 1 }])));
const pincam = (f: (i: number) => number) =>
  many(3, (i) => [`intrinsics/${i}.pincam`, `7 5 ${f(i)} ${f(i)} 3 2`]) as Record<string, string>;
test.each<[string, (f: (i: number) => number) => Record<string, string>]>([
  ["in one JSON", (f) => ({ "scene_camera.json": bop(f) })],
  ["in texts", pincam],
])(
  "a lens for each frame %s is its own, which is told, unless it wavers by less than half a pixel",
  async (_, texts) => {
    const images = depths(3, (i) => `depth/${i}.png`);
    const own = await opened({ ...images, ...texts((i) => 9 + 3 * i) });
    expect(own.frames.map(({ intrinsics }) => intrinsics.fx)).toEqual([9, 12, 15]);
    expect(own.told).toContain("the lens changes in the recording, as at frame 1");
    const near = await opened({ ...images, ...texts((i) => 9 + i / 100) });
    expect(near.frames.map(({ intrinsics }) => intrinsics.fx)).toEqual([9, 9, 9]);
    expect(near.told).not.toContain("the lens changes");
  },
);

test("colour of another size follows the lens of its frame, whichever frame is read first", async () => {
  const cameras = many(8, (i) => {
    const f = 36 * (1 + 0.1 * i);
    return [`cameras/${i}.json`, JSON.stringify({ fx: f, fy: f, cx: 13.5, cy: 9.5, width: 28, height: 20 })];
  });
  const photos = many(8, (i) => [`images/${i}.png`, colorPng(0, 4, 28, 20)]);
  const folder = disk.folder({ ...depths(8, (i) => `depth/${i}.png`), ...photos, ...cameras });
  const read = async (order: readonly number[]) => {
    await using recording = await openRecording(folder);
    const colors: (Uint8Array | undefined)[] = [];
    for (const index of order) colors[index] = (await recording.read(index)).color?.data;
    return colors;
  };
  const forwards = await read([0, 7]);
  expect(forwards[0]?.some((value) => value > 0)).toBe(true);
  // Both cameras are one, so no frame's lens moves its colours.
  expect(forwards[7]).toEqual(forwards[0]);
  expect(await read([7, 0])).toEqual(forwards);
});
