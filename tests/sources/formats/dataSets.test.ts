import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import type { OpenOptions } from "../../../sources/index.ts";
import {
  type Contents,
  colorPng,
  depthPng,
  depthValues,
  HEIGHT,
  sevenScenesContents,
  useFolder,
  WIDTH,
  zipOf,
} from "../fixtures.ts";
import { doubles, floats, npyOf } from "../makers/still.ts";
import { openBytes, opened as openedIn } from "../opening.ts";

// Folders of public data sets: each is read with the data set's unit, lens and bit order, or refused with a reason.

const disk = useFolder();
const size = { width: WIDTH, height: HEIGHT };

const opened = (contents: Contents, options?: OpenOptions, name?: string) => openedIn(disk, contents, options, name);

describe("a folder of SUN3D or SUN RGB-D", () => {
  const values = depthValues(3);
  const turned = values.map((value) => (value << 3) | (value >> 13));
  const contents: Contents = {
    "depth/0000001-000000000000.png": depthPng(turned),
    "image/0000001-000000000123.jpg": new Uint8Array(4),
    "extrinsics/20130512130736.txt": "1 0 0 0",
    "intrinsics.txt": "9.5 0 3\n0 9.25 2\n0 0 1\n",
  };

  test("has its depth bits rotated back, and the lens of intrinsics.txt", async () => {
    const { frames, format, facts } = await opened(contents, { color: false, invalid: [values[5]] });
    expect(format).toBe("sun");
    expect(frames[0].depth.data).toEqual(values.map((value, i) => (i === 5 ? 0 : value)));
    expect(frames[0]).toMatchObject({ metresPerUnit: 0.001, intrinsics: { fx: 9.5, fy: 9.25, cx: 3, cy: 2, ...size } });
    expect(facts).toContainEqual(expect.objectContaining({ what: "intrinsics", from: "file intrinsics.txt" }));
  });

  test("without extrinsics/ is read as plain PNGs, with the bits as stored", async () => {
    const { "extrinsics/20130512130736.txt": _, ...plain } = contents;
    const { frames, format } = await opened(plain, { color: false });
    expect(format).toBe("png");
    expect(frames[0].depth.data).toEqual(turned);
    expect(frames[0].intrinsics.fx).toBe(9.5);
  });
});

test("a sequence of SUN3D has the times in its names, and the poses of its newest list", async () => {
  const names = [0, 1, 2].map((i) => `depth/000000${i + 1}-00000${1_000_000 + 33_369 * i}.png`);
  const poses = (x: number) => [0, 1, 2].map((i) => `1 0 0 ${x + i}\n0 1 0 0\n0 0 1 0\n`).join("");
  const recording = await disk.open(
    disk.folder({
      ...Object.fromEntries(names.map((name) => [name, depthPng(depthValues(0))])),
      "intrinsics.txt": "5 0 3\n0 5 2\n0 0 1\n",
      "extrinsics/20140101.txt": poses(100),
      "extrinsics/20150101.txt": poses(0),
    }),
  );
  expect(recording.format).toBe("sun");
  expect(recording.timestampOf(2)).toBeCloseTo(1066.738, 3);
  expect((await recording.pose(2))?.slice(0, 4)).toEqual([1, 0, 0, 2]);
});

test("Matterport3D's depth is read in 1/4000 m, with the pose and the lens that the .conf has for each image", async () => {
  const name = (i: number) => `00ebbf3782c64d74aaf7dd39cd561175_d${i}_0.png`;
  const image = depthPng(depthValues(0).map(() => 4000));
  const lines = [0, 1].map(
    (i) =>
      `intrinsics_matrix ${1000 + 500 * i} 0 630 0 1001 500 0 0 1\nscan ${name(i)} ${name(i)} 0 0 -1 ${i} -1 0 0 2 0 1 0 3 0 0 0 1\n`,
  );
  const recording = await disk.open(
    disk.folder({
      ...Object.fromEntries([0, 1].map((i) => [`undistorted_depth_images/${name(i)}`, image])),
      "undistorted_camera_parameters/house.conf": `dataset matterport\nn_images 2\n\n${lines.join("\n")}`,
    }),
  );
  const { metresPerUnit, intrinsics } = await recording.read(1);
  const { fx, cy } = intrinsics;
  expect([metresPerUnit, fx, cy]).toEqual([1 / 4000, expect.closeTo((1500 * WIDTH) / 1280), expect.anything()]);
  expect(cy).toBeCloseTo((523 + 0.5 - 512) * (WIDTH / 1280) + HEIGHT / 2 - 0.5, 6);
  // The camera looks along -z with y up.
  expect(await recording.pose(1)).toEqual([0, 0, 1, 1, -1, 0, 0, 2, 0, -1, 0, 3, 0, 0, 0, 1]);
});

test("AirSim's list one folder above the images has the poses of its vehicle, with a warning", async () => {
  const image = depthPng(depthValues(0));
  const names = [0, 1].map((i) => `img_Drone_0_1_163700000${i}000000000.png`);
  const rows = names.map((name, i) => `Drone\t163700000${i}000\t${i + 1}\t2\t-3\t1\t0\t0\t0\tother.png;${name}\n`);
  const { warnings, ...recording } = await disk.open(
    disk.folder({
      ...Object.fromEntries(names.map((name) => [`images/${name}`, image])),
      "airsim_rec.txt": `VehicleName\tTimeStamp\tPOS_X\tPOS_Y\tPOS_Z\tQ_W\tQ_X\tQ_Y\tQ_Z\tImageFile\n${rows.join("")}`,
    }),
  );
  // The camera's z is the vehicle's x; its x and y are the vehicle's y and z.
  expect(await recording.pose(1)).toEqual([0, 0, 1, 2, 1, 0, 0, 2, 0, 1, 0, -3, 0, 0, 0, 1]);
  expect(warnings).toContainEqual(expect.stringContaining("the poses are those of the vehicle"));
});

test("KITTI's depth is read in 1/256 m, with KITTI's lens scaled to the image", async () => {
  const path = "2011_09_26_drive_0002_sync/proj_depth/groundtruth/image_02";
  const { frames, facts, warnings } = await opened({ "0000000005.png": depthPng(depthValues(1)) }, {}, path);
  expect(frames[0].metresPerUnit).toBe(1 / 256);
  expect(frames[0].intrinsics.fx).toBeCloseTo((721.5377 * WIDTH) / 1242, 9);
  expect(facts).toContainEqual({ what: "unit", value: "3.90625 mm", from: "KITTI default" });
  expect(warnings).toContainEqual(expect.stringContaining("the intrinsics of KITTI's recordings of 26 September 2011"));
});

test("a BundleFusion folder is read as 7-Scenes, with colour from .jpg files and the lens from info.txt", async () => {
  const { "frame-000000.color.png": png, ...scene } = sevenScenesContents(1);
  const lens =
    "m_depthWidth = 7\nm_depthHeight = 5\nm_calibrationDepthIntrinsic = 8 0 3 0 0 8.5 2 0 0 0 1 0 0 0 0 1 \n";
  const found = await opened({ ...scene, "frame-000000.color.jpg": png, "info.txt": lens });
  expect(found.format).toBe("7scenes");
  expect(found.frames[0].color?.shape).toEqual([HEIGHT, WIDTH, 4]);
  expect(found.frames[0].intrinsics).toEqual({ fx: 8, fy: 8.5, cx: 3, cy: 2, ...size });
  expect(found.warnings).toEqual([]);
});

describe("a folder of arrays", () => {
  const array = (frame: number) =>
    npyOf("<f4", [HEIGHT, WIDTH, 1], floats([...depthValues(frame)].map((v) => v / 1000)));

  test("of DIODE has each .npy as a frame, its mask for invalid values, and the PNG of its name as colour", async () => {
    const valid = Array.from(depthValues(0), (_, i) => (i % 3 === 0 ? 0 : 1));
    const contents: Contents = {};
    for (const [i, stem] of ["00019_indoors_000_010", "00019_indoors_010_000"].entries()) {
      contents[`${stem}.png`] = colorPng(i);
      contents[`${stem}_depth.npy`] = array(i);
      contents[`${stem}_depth_mask.npy`] = npyOf("<f8", [HEIGHT, WIDTH], doubles(...valid));
    }
    const { frames, format, warnings } = await opened(contents);
    expect([format, frames.length]).toEqual(["png", 2]);
    for (const [i, frame] of frames.entries()) {
      expect(frame.depth.data).toEqual(depthValues(i).map((value, k) => (valid[k] ? value : 0)));
      expect(frame.color?.data[0]).toBe(i);
    }
    expect(warnings).toContainEqual(expect.stringContaining("30 frames per second are assumed"));
  });

  test("plays in the order of the numbers in the names, without poses.npy and K.npy", async () => {
    const { frames } = await opened({
      "a10.npy": array(1),
      "a9.npy": array(0),
      "poses.npy": array(3),
      "K.npy": array(4),
    });
    expect(frames.map(({ depth }) => depth.data[5])).toEqual([0, 1].map((i) => depthValues(i)[5]));
  });

  test("without depth in them opens as the 16-bit PNGs beside them", async () => {
    const { format, frames } = await opened({ "0.png": depthPng(depthValues(0)), "poses.npy": array(1) });
    expect([format, frames.length]).toEqual(["png", 1]);
  });
});

test.each([
  ["shot_Depth.raw", "numbers without a header, such as a RealSense viewer's snapshot, which is not read"],
  ["depth.pfm", "no PFM image, whatever its name says, or a damaged one"],
  ["room.glb", "a mesh or a point cloud, which is not read"],
  ["capture.zdf", "a capture of a Zivid camera, which is not read"],
])("openRecording refuses %s and says which kind of file it is", async (name, message) => {
  await expect(openBytes(name, new Uint8Array(700).fill(5))).rejects.toThrow(`${name}: it is ${message}`);
});

test("openRecording refuses a scan of Record3D, whose depth is compressed by LZFSE", async () => {
  const png = encode({ width: 1, height: 1, channels: 3, depth: 8, data: new Uint8Array(3) });
  const scan = zipOf({ metadata: "{}", "rgbd/0.depth": new Uint8Array(90), "rgbd/0.jpg": png });
  await expect(openBytes("scan.r3d", scan)).rejects.toThrow(
    "scan.r3d: it is a scan of Record3D, whose depth is compressed by LZFSE",
  );
});
