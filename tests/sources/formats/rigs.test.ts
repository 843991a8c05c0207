import { describe, expect, test } from "vitest";
import { type Contents, colorPng, depthPng, depthValues, failure, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { littleEndian } from "../makers/bytes.ts";
import { exrOf } from "../makers/exr.ts";
import { doubles, floats, npyOf, pagedTiff, tiffOf } from "../makers/still.ts";
import { depths, lens, many, opened as openedIn, placeAt } from "../opening.ts";

// Folders with several cameras, lists that do not fit the images one by one, and kinds of images that one camera's folder seldom has.

const disk = useFolder();
const opened = (contents: Contents, topic?: string) => openedIn(disk, contents, topic === undefined ? {} : { topic });
const lines = (count: number, of: (i: number) => readonly number[]) =>
  Array.from({ length: count }, (_, i) => `${of(i).join(" ")}\n`).join("");
const other = { fx: 4, fy: 4, cx: 3, cy: 2 };

describe("a rig: of the chosen camera are", () => {
  test("the poses and the colour beside depth of its side (TartanAir)", async () => {
    const sides = (side: string, of: number): Contents => ({
      ...depths(3, (i) => `depth_${side}/00000${i}_${side}_depth.png`),
      ...many(3, (i) => [`image_${side}/00000${i}_${side}.png`, colorPng(of + i)]),
      [`pose_${side}.txt`]: lines(3, (i) => [of * i, 0, 0, 0, 0, 0, 1]),
    });
    const { frames, places } = await opened({ ...sides("left", 50), ...sides("right", 2) }, "*right*");
    expect(places).toEqual([0, 2, 4].map((x) => [x, 0, 0]));
    // The poses belong to a camera that looks along x.
    expect(frames[0].pose?.slice(0, 3)).toEqual([0, 0, 1]);
    expect(frames.map(({ color }) => color?.data[0])).toEqual([2, 3, 4]);
  });

  const cameras = { cam0: other, cam1: lens };
  const numbered = (i: number) => depths(3, (k) => `cam${i}/depth/${k}.png`);
  test.each([
    ["a calibration of all", { "calibration.json": JSON.stringify(cameras) }],
    ["a file each", { "cam0_lens.json": JSON.stringify(other), "cam1_lens.json": JSON.stringify(lens) }],
  ])("the lens by its number, in %s", async (_, texts) => {
    const { frames, told } = await opened({ ...numbered(0), ...numbered(1), ...(texts as Contents) }, "*cam1*");
    expect(frames[0].intrinsics).toMatchObject(lens);
    expect(told).not.toContain("first of several cameras");
  });

  test.each([
    ["camera_1.json", "camera_0.json"],
    ["cam_01.json", "cam_00.json"],
  ])("the lens by its number, however that is spelt: %s", async (mine, theirs) => {
    const texts = { [theirs]: JSON.stringify(other), [mine]: JSON.stringify(lens) };
    const { frames } = await opened({ ...numbered(0), ...numbered(1), ...texts }, "*cam1*");
    expect(frames[0].intrinsics).toMatchObject(lens);
  });

  test("the lens of the folder above, which has fewer words than depth's", async () => {
    const device = (i: number, of: object) => ({
      ...depths(3, (k) => `device_${i}/sensor_0/depth/${k}.png`),
      [`device_${i}/intrinsics.json`]: JSON.stringify(of),
    });
    const { frames } = await opened({ ...device(0, other), ...device(1, lens) }, "*device_1*");
    expect(frames[0].intrinsics).toMatchObject(lens);
  });

  test("the lens and the colour by its serial number; a pattern that fits colour, too, means depth", async () => {
    const [one, two] = ["000111111111", "000222222222"];
    const all = [one, two].map(
      (serial, at): Contents => ({
        ...depths(3, (i) => `depth_${serial}_${i}.png`),
        ...many(3, (i) => [`color_${serial}_${i}.png`, colorPng(100 * at + i)]),
        [`intrinsics_${serial}.json`]: JSON.stringify([other, lens][at]),
      }),
    );
    const { frames } = await opened({ ...all[0], ...all[1] }, `*${two}*`);
    expect(frames[2].intrinsics).toMatchObject(lens);
    expect(frames.map(({ color }) => color?.data[0])).toEqual([100, 101, 102]);
  });
});

describe("texts of two kinds:", () => {
  const three = depths(3, (i) => `depth/${i}.png`);
  test("depth's times and poses go before colour's", async () => {
    const stamps = (step: number) => lines(3, (i) => [1_700_000_000 + step * i]);
    const moved = (by: number) => lines(3, (i) => placeAt(by * i));
    const { frames, places, told } = await opened({
      ...three,
      "color_timestamps.txt": stamps(0.05),
      "depth_timestamps.txt": stamps(0.1),
      "color_poses.txt": moved(5),
      "depth_poses.txt": moved(1),
    });
    expect(frames.map(({ timestamp }) => timestamp - frames[0].timestamp)).toEqual([0, 100, 200]);
    expect(places[2]).toEqual([2, 0, 0]);
    expect(told).toContain("lie color_poses.txt, color_timestamps.txt, which are not read");
  });

  test("two units that differ, and a lens of other proportions than depth's, are said", async () => {
    const { told } = await opened({
      ...three,
      "a.json": JSON.stringify({ depth_scale: 1000 }),
      "b.json": JSON.stringify({ depth_scale: 5000 }),
      "k.json": JSON.stringify({ ...lens, width: HEIGHT, height: WIDTH }),
    });
    expect(told).toContain("name two units, 0.001 m in a.json and 0.0002 m in b.json; the first is taken");
    expect(told).toContain(`are of ${HEIGHT}×${WIDTH}, other proportions than depth's ${WIDTH}×${HEIGHT}`);
  });
});

describe("a list of more poses than images", () => {
  const some = (numbers: readonly number[]) => depths(3, (i) => `depth/${String(numbers[i]).padStart(4, "0")}.png`);
  const matrices = (count: number) => Array.from({ length: count }, (_, i) => placeAt(i));
  test.each([
    ["of which every tenth was kept", [0, 10, 20], "traj.txt", lines(30, placeAt), [0, 10, 20]],
    ["one of which is gone", [0, 1, 3], "poses.json", JSON.stringify(matrices(4)), [0, 1, 3]],
    ["counted from one", [1, 2, 4], "poses.txt", lines(4, (i) => [i, 0, 0, 0, 0, 0, 1]), [0, 1, 3]],
    [
      "in Redwood's form",
      [0, 1, 3],
      "trajectory.log",
      lines(16, (k) => placeAt(k >> 2).slice((4 * k) % 16, ((4 * k) % 16) + 4)),
      [0, 1, 3],
    ],
  ])("%s: by the numbers in their names", async (_, numbers, name, text, expected) => {
    const { places, told } = await opened({ ...some(numbers), [name]: text });
    expect(places).toEqual(expected.map((x) => [x, 0, 0]));
    expect(told).toMatch(
      /poses for 3 images, which are taken by the numbers in their names .the first row is number [01].: .* place \d+/,
    );
  });

  test("whose numbers do not fit: in their order, with a warning", async () => {
    const { places, told } = await opened({ ...some([7, 70, 700]), "poses.txt": lines(9, placeAt) });
    expect(places[2]).toEqual([2, 0, 0]);
    expect(told).toContain("it has 9 poses for 3 images, which are taken in their order");
  });
});

test("poses column by column are turned, also those without a place", async () => {
  const turned = (x: number) => [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
  const { frames, places } = await opened({ ...depths(3, (i) => `${i}.png`), "pose.txt": lines(3, turned) });
  expect(places.map((place) => place?.[0])).toEqual([0, 1, 2]);
  for (const { pose } of frames) expect(pose?.slice(0, 2)).toEqual([0, -1]);
});

test("an entry for each image in one JSON has its pose and its time (ScanNet++)", async () => {
  const entry = (i: number) => ({
    timestamp: 20 + i / 10,
    pose: [0, 1, 2, 3].map((k) => placeAt(i).slice(4 * k, 4 * k + 4)),
  });
  const text = JSON.stringify(Object.fromEntries([0, 1, 2].map((i) => [`frame_00${i}0`, entry(i)])));
  const { frames, places } = await opened({
    ...depths(3, (i) => `depth/frame_00${i}0.png`),
    "pose_intrinsic_imu.json": text,
  });
  expect(places[2]).toEqual([2, 0, 0]);
  expect(frames.map(({ timestamp }) => Math.round(timestamp - frames[0].timestamp))).toEqual([0, 100, 200]);
});

describe("depth is read", () => {
  const metres = (i: number) => [...depthValues(i)].map((value) => value / 1000);
  const rows = (values: readonly number[]) =>
    Array.from({ length: HEIGHT }, (_, y) => values.slice(WIDTH * (HEIGHT - 1 - y), WIDTH * (HEIGHT - y))).flat();
  const pfm = (i: number, little: boolean) => {
    const bytes = Buffer.from(floats(rows(metres(i))));
    return Buffer.concat([
      Buffer.from(`Pf\n${WIDTH} ${HEIGHT}\n${little ? -1 : "1.000"}\n`),
      little ? bytes : bytes.swap32(),
    ]);
  };
  test.each([
    ["PFM", "d/#.pfm", (i: number) => pfm(i, true)],
    ["PFM, the high bytes first", "d/#.pfm", (i: number) => pfm(i, false)],
    [
      "Unity's SOLO, in which each frame has a folder and depth is R",
      "sequence.#/step0.camera.Depth.exr",
      (i: number) => {
        const none = metres(i).map(() => 0);
        return exrOf(WIDTH, HEIGHT, { A: none.map(() => 1), B: none, G: none, R: metres(i) }, 0);
      },
    ],
  ])("of %s", async (_, name, made) => {
    const { frames } = await opened(many(3, (i) => [name.replace("#", String(i)), made(i)]));
    expect(frames.map(({ depth }) => depth.data)).toEqual([0, 1, 2].map((i) => depthValues(i)));
  });

  test("of a TIFF of half floats; a BigTIFF is called one", async () => {
    const size = { width: WIDTH, height: HEIGHT, bits: 16 } as const;
    const halves = littleEndian(Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => 0x3c00 + 32 * i));
    const { frames } = await opened({ "depth/0.tiff": tiffOf({ ...size, values: halves, whole: false }) });
    expect(frames[0].depth.data.slice(0, 3)).toEqual(Uint16Array.of(1000, 1031, 1063));
    const big = pagedTiff(size, [littleEndian(depthValues(0))]);
    big[2] = 43;
    expect(await failure(disk.file("big.tiff", big))).toMatch(/this is a BigTIFF, which is not read; save it as/);
  });
});

test.each([
  ["depth/0.webp", /images of a kind of photographs, which are not read; save depth as 16-bit PNGs/],
  ["images/scene_cam_00_geometry_hdf5/frame.0000.depth_meters.hdf5", /it holds HDF5 files, which are not read/],
  ["align_depth/depth_video.avi", /it holds films, which are not read; make 16-bit PNGs/],
  ["depth/0.jpg", /it holds depth as JPEGs, whose 8 bits hold none, which are not read/],
])("a folder with %s is refused in words about it", async (name, message) => {
  expect(await failure(disk.folder({ [name]: "x", "rgb/0.jpg": "x" }))).toMatch(message);
});

test("COLMAP's binary files are named as not read; inverse depth is no depth", async () => {
  const three = depths(3, (i) => `depth/${i}.png`);
  expect((await opened({ ...three, "sparse/0/cameras.bin": "x" })).told).toContain("sparse/, which are not read");
  const inverse = npyOf("<f4", [HEIGHT, WIDTH], floats([...depthValues(0)].map((value) => 1 / (1 + value))));
  expect(await failure(disk.folder({ "inverse_depth/0.npy": inverse, "inverse_depth/1.npy": inverse }))).toContain(
    "its images are not depth, as their names say: inverse_depth/",
  );
});

test("KITTI's sparse scans go behind its ground truth, from whichever folder they are opened", async () => {
  const kinds = { groundtruth: 0, velodyne_raw: 5 };
  const all = Object.entries(kinds).map(([kind, of]) =>
    many(3, (i) => [`proj_depth/${kind}/image_02/000000000${i}.png`, depthPng(depthValues(of + i))]),
  );
  const { depth } = await opened({ ...all[0], ...all[1] });
  expect(depth).toEqual([0, 1, 2].map((i) => depthValues(i)[9]));
});

test("arrays beside depth may have any type of numbers, either byte order, and Fortran's", async () => {
  const fortran = (bytes: Uint8Array) => {
    const at = Buffer.from(bytes).indexOf("False");
    return Buffer.concat([bytes.subarray(0, at), Buffer.from("True "), bytes.subarray(at + 5)]);
  };
  const moved = (x: number) => [0, -1, 0, x, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  // The values of all frames for one place in the matrix stand side by side, column by column.
  const columns = Array.from({ length: 48 }, (_, i) => moved(i % 3)[4 * (Math.floor(i / 3) % 4) + Math.floor(i / 12)]);
  const whole = Buffer.alloc(36);
  [9, 0, 3, 0, 10, 2, 0, 0, 1].forEach((value, i) => void whole.writeInt32BE(value, 4 * i));
  const { frames, places } = await opened({
    ...depths(3, (i) => `depth/${i}.png`),
    "K.npy": npyOf(">i4", [3, 3], whole),
    "poses.npy": fortran(npyOf("<f4", [3, 4, 4], floats(columns))),
  });
  expect(frames[0].intrinsics).toMatchObject({ fx: 9, fy: 10, cx: 3, cy: 2 });
  expect(places).toEqual([0, 1, 2].map((x) => [x, 0, 0]));
  expect(frames[2].pose?.slice(0, 2)).toEqual([0, -1]);
});

describe("times in names", () => {
  const stamps = (from: number, step: number) => depths(4, (i) => `depth/${from + Math.round(step * i)}.png`);
  test.each([
    ["in µs, 60 a second", 1_700_000_000_000_000, 16_666.7, 16.7],
    ["in ms, every five seconds", 1_700_000_000_000, 5000, 5000],
    ["in µs since the camera began, 60 a second", 69_185_120_250, 16_666.7, 16.7],
    ["in s, every five", 1_700_000_000, 5, 5000],
  ])("%s", async (_, from, step, expected) => {
    const { frames } = await opened(stamps(from, step));
    expect(frames[1].timestamp - frames[0].timestamp).toBeCloseTo(expected, 0);
  });
});

const toWorld = (i: number) => placeAt(i).join(" ");
const toCamera = (i: number) => placeAt(-i).join(" ");
test.each([
  ["a text for each frame", many(3, (i) => [`w2c/${i}.txt`, toCamera(i)]), "w2c"],
  ["a list", { "poses_w2c.txt": [0, 1, 2].map(toCamera).join("\n") }, "poses_w2c.txt"],
  ...["poses_w2cs.txt", "world_to_cams.txt", "Tcws.txt", "viewmats.txt", "view_matrices.txt"].map(
    (name) => [name, { [name]: [0, 1, 2].map(toCamera).join("\n") }, name] as [string, Contents, string],
  ),
  ["an array", { "w2cs.npy": npyOf("<f8", [3, 4, 4], doubles(...[0, 1, 2].flatMap((i) => placeAt(-i)))) }, "w2cs.npy"],
  ["a bare matrix for each frame", many(3, (i) => [`extrinsics/${i}.json`, JSON.stringify(placeAt(-i))]), "extrinsics"],
  ["a field", many(3, (i) => [`cam/${i}.json`, JSON.stringify({ world_to_camera: placeAt(-i) })]), ""],
  ["field and file", many(3, (i) => [`w2c/${i}.json`, JSON.stringify({ world_to_camera: placeAt(-i) })]), ""],
  ["a field, not the file", many(3, (i) => [`extrinsics/${i}.json`, JSON.stringify({ cam2world: placeAt(i) })]), ""],
  ["no name", { "poses.txt": [0, 1, 2].map(toWorld).join("\n") }, ""],
])("matrices from the world to the camera by their names are turned round once: %s", async (_, texts, named) => {
  const { places, told } = await opened({ ...depths(3, (i) => `depth/${i}.png`), ...texts });
  expect(places).toEqual([0, 1, 2].map((x) => [x, 0, 0]));
  const said = "its poses are taken to lead from the world to the camera";
  if (named) expect(told).toContain(`${named}: ${said}`);
  else expect(told).not.toContain(said);
});

test("an image beside a recording in one file is no series: the file is named", async () => {
  const path = disk.folder({ "run.mcap": "x", "thumb.png": colorPng(1) });
  expect(await failure(path)).toContain("open the file in it that is the recording (run.mcap)");
});
