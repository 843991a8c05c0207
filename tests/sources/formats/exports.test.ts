import { describe, expect, test } from "vitest";
import { type Contents, colorPng, depthPng, depthValues, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { floats } from "../makers/still.ts";
import { depths, many, matrixOf, opened } from "../opening.ts";

// Folders that RTAB-Map exports (rtabmap-export, and the database viewer's "Extract images") and that HoloLens 2 records, and the
// calibrations that the programs of makers and robots write.

const disk = useFolder();
const [IDS, STAMPS] = [
  [3, 4, 7],
  ["1700000000.100000", "1700000000.600000", "1700000001.100000"],
] as const;
/** A calibration as OpenCV's FileStorage writes it; the robot looks along x, the camera is half a metre before its middle. */
const calibration = (more = true) => `%YAML:1.0
---
camera_name: "3"
image_width: ${2 * WIDTH}
image_height: ${2 * HEIGHT}
camera_matrix:
   rows: 3
   cols: 3
   data: [ 8., 0., 3., 0., 8., 2., 0., 0., 1. ]
distortion_coefficients:
   rows: 1
   cols: 5
   data: [ 1.0000000000000001e-01, 2.0000000000000001e-01, 0., 0., 0. ]
distortion_model: plumb_bob
projection_matrix:
   rows: 3
   cols: 4
   data: [ 1.8000000000000000e+01, 0., 6.5000000000000000e+00, 0., 0.,
       1.9000000000000000e+01, 4.5000000000000000e+00, 0., 0., 0., 1.,
       0. ]
${more ? "local_transform:\n   rows: 3\n   cols: 4\n   data: [ 0., 0., 1., 5.0000000000000000e-01, -1., 0., 0., 0., 0., -1.,\n       0., 0. ]\n" : ""}`;
const exported = (names: readonly (string | number)[], base = "map_"): Contents => ({
  ...depths(3, (i) => `${base}depth/${names[i]}.png`),
  ...many(3, (i) => [`${base}rgb/${names[i]}.jpg`, colorPng(i, 3, 2 * WIDTH, 2 * HEIGHT)]),
  ...many(3, (i) => [`${base}calib/${names[i]}.yaml`, calibration()]),
});
const rows = (row: (i: number) => string) => [0, 1, 2].map((i) => `${row(i)}\n`).join("");
/** The camera half a metre before a robot that goes along x, one metre a frame. */
const camera = (i: number) => `${i + 0.5} 0 0 -0.5 0.5 -0.5 0.5`;
const robot = (i: number) => `${i} 0 0 0 0 0 1`;
const HEAD = "#timestamp x y z qx qy qz qw";
/** Poses behind time stamps, with the images' ids. */
const listed = (pose: (i: number) => string) => `${HEAD} id\n${rows((i) => `${STAMPS[i]} ${pose(i)} ${IDS[i]}`)}`;

test.each<[string, Contents, string]>([
  [
    "format 11 and ids",
    { ...exported(IDS), "map_camera_poses.txt": listed(camera).replace("\n", "\n0.9 9 9 9 0 0 0 1 2\n") },
    "",
  ],
  ["format 11 and stamps", { ...exported(STAMPS), "map_camera_poses.txt": listed(camera) }, ""],
  [
    "format 10 and stamps",
    { ...exported(STAMPS), "map_camera_poses.txt": `${HEAD}\n${rows((i) => `${STAMPS[i]} ${camera(i)}`)}` },
    "read in ROS' frames (10), not in that of motion capture (1)",
  ],
  [
    "raw matrices",
    { ...exported(IDS), "map_camera_poses.txt": rows((i) => `0 0 1 ${i + 0.5} -1 0 0 0 0 -1 0 0`) },
    "read in the raw format (0), not KITTI's (2)",
  ],
  [
    "g2o",
    {
      ...exported(IDS),
      "map_camera_poses.g2o": `VERTEX_SE3:QUAT 1 9 9 9 0 0 0 1\n${rows((i) => `VERTEX_SE3:QUAT ${IDS[i]} ${camera(i)}`)}EDGE_SE3:QUAT 3 4 1 0 0 0 0 0 1 1 0\n`,
    },
    "",
  ],
  ["the robot's poses", { ...exported(IDS), "map_poses.txt": listed(robot) }, "taken for the robot's"],
  [
    "the camera's poses before the robot's and the scanner's",
    {
      ...exported(IDS, ""),
      ...{ "camera_poses.txt": listed(camera), "poses.txt": listed(robot), "scan_poses.txt": listed(robot) },
    },
    "",
  ],
])("RTAB-Map's export with %s has poses of the camera, lens, unit and colour", async (_, contents, told) => {
  const found = await opened(disk, contents);
  expect(found.places).toEqual([0, 1, 2].map((i) => [i + 0.5, 0, 0]));
  expect(found.frames[1].pose?.slice(0, 3).map(Math.round)).toEqual([0, 0, 1]);
  // The projection's lens of images of twice the size; the images are rectified.
  expect(found.frames[0].intrinsics).toEqual({ fx: 9, fy: 9.5, cx: 3, cy: 2, width: WIDTH, height: HEIGHT });
  expect([found.from("unit"), found.frames[2].color?.data.length]).toEqual(["RTAB-Map default", 4 * WIDTH * HEIGHT]);
  if (told) expect(found.told).toContain(told);
  else expect(found.told).not.toMatch(/poses[^,]*(taken|read in)/);
});

test("poses that name the ids have the times", async () => {
  const { frames } = await opened(disk, { ...exported(IDS), "map_camera_poses.txt": listed(camera) });
  expect(frames.map(({ timestamp }) => timestamp)).toEqual(STAMPS.map((stamp) => 1000 * Number(stamp)));
});

test.each<[string, Contents, readonly unknown[]]>([
  ["matrices of other frames", { "map_camera_poses.txt": "0 0 1 0.5 -1 0 0 0 0 -1 0 0\n".repeat(4) }, []],
  ["a list cut short", { "map_camera_poses.txt": `${HEAD} id\n${STAMPS[0]} ${camera(0)} 3\n${STAMPS[1]} 0 0` }, []],
  [
    "a graph of noise",
    {
      "map_camera_poses.g2o": `VERTEX_SE3:QUAT 3 ${camera(0)}\nVERTEX_SE3:QUAT 4 a b\nVERTEX_SE3:QUAT ${"7 ".repeat(9)}\n`,
    },
    [],
  ],
])("damage to an export is told, and costs only what is damaged: %s", async (_, contents, places) => {
  const found = await opened(disk, { ...exported(IDS), ...contents });
  expect(found.places.filter((place) => place !== undefined)).toEqual(places);
  expect(found.told).toContain(`beside depth lie ${Object.keys(contents)[0]}, which are not read`);
});

describe("HoloLens 2", () => {
  const sensor = "Depth Long Throw";
  const ticks = [0, 1, 2].map((i) => `13256345678${i}000000`);
  const pgm = (values: Uint16Array) =>
    Buffer.concat([Buffer.from(`P5\n${WIDTH} ${HEIGHT}\n65535\n`), Buffer.from(values.buffer).swap16()]);
  /** The rig goes along x; the camera is 0.2 m above it and looks along the rig's -z, its y down. */
  const rig = rows((i) => `${ticks[i]},1,0,0,${i},0,1,0,0,0,0,1,0,0,0,0,1`);
  const extrinsics = "1,0,0,0,0,-1,0,0.2,0,0,-1,0,0,0,0,1\n";
  const ray = (i: number) => [((i % WIDTH) - 3) / 6, (Math.floor(i / WIDTH) - 2) / 6, 1];
  const rays = Array.from({ length: WIDTH * HEIGHT }, (_, i) => ray(i).map((one) => one / Math.hypot(...ray(i))));
  const lut = floats(rays.flat());
  const recorded: Contents = {
    ...many(3, (i) => [`${sensor}/${ticks[i]}.pgm`, pgm(depthValues(i))]),
    [`${sensor}_rig2world.txt`]: rig,
    [`${sensor}_extrinsics.txt`]: extrinsics,
    [`${sensor}_lut.bin`]: lut,
    "VLC LF_rig2world.txt": rows((i) => `${ticks[i]},1,0,0,9,0,1,0,9,0,0,1,9,0,0,0,1`),
    "VLC LF_extrinsics.txt": "1,0,0,9,0,1,0,9,0,0,1,9,0,0,0,1\n",
  };

  test("has the poses of its own sensor, times from ticks, and lens and depth by the table of rays", async () => {
    const { frames, places, told, from } = await opened(disk, recorded);
    const rounded = places.map((place) => place?.map((one) => Number(one.toFixed(6))));
    expect(rounded).toEqual([0, 1, 2].map((i) => [i, 0.2, 0]));
    expect(frames[0].pose?.slice(8, 11).map(Math.round)).toEqual([0, 0, -1]);
    expect(frames.map(({ timestamp }) => Math.round(timestamp - frames[0].timestamp))).toEqual([0, 100, 200]);
    expect(frames[0].depth.get(0, 0)).toBe(0);
    expect(frames[1].depth.get(0, 1)).toBe(Math.round(depthValues(1)[1] / Math.hypot(2 / 6, 2 / 6, 1)));
    expect(told).toContain("beside depth lie VLC LF_extrinsics.txt, VLC LF_rig2world.txt, which are not read");
    expect(from("unit")).toBe("HoloLens default");
  });

  test.each<[string, Contents, RegExp, number]>([
    ["no extrinsics", { [`${sensor}_extrinsics.txt`]: "" }, /those of the rig; .*Depth Long Throw_extrinsics\.txt/, 3],
    ["a matrix that is none", { [`${sensor}_extrinsics.txt`]: extrinsics.replaceAll("1", "7") }, /those of the rig/, 3],
    ["a list cut short", { [`${sensor}_rig2world.txt`]: rig.slice(0, rig.length / 2) }, /rig2world/, 0],
  ])("says so for %s", async (_, damage, told, posed) => {
    const found = await opened(disk, { ...recorded, ...damage });
    expect(found.told).toMatch(told);
    expect(found.places.filter((place) => place !== undefined)).toHaveLength(posed);
  });

  test("has a pinhole_projection of its converter: lists by ticks, Open3D's odometry, a lens", async () => {
    const list = (folder: string) => rows((i) => `${ticks[i]} ${folder}/${ticks[i]}_proj.png`);
    const { frames, places } = await opened(disk, {
      "depth.txt": list("depth"),
      "rgb.txt": list("rgb"),
      "odometry.log": rows((i) => `${i} ${i} ${i}\n1 0 0 ${i}\n0 1 0 0\n0 0 1 0\n0 0 0 1`),
      "calibration.txt": `${"200.0".padEnd(38)}${"201.0".padEnd(38)}${"3.5".padEnd(36)}2.5 \n`,
      "trajectory.xyz": rows((i) => `${i} 0 0`),
      ...many(3, (i) => [`depth/${ticks[i]}_proj.png`, depthPng(depthValues(i))]),
      ...many(3, (i) => [`rgb/${ticks[i]}_proj.png`, colorPng(i)]),
    });
    expect(places).toEqual([0, 1, 2].map((i) => [i, 0, 0]));
    expect(frames[2]).toMatchObject({ metresPerUnit: 1 / 5000, intrinsics: { fx: 200, fy: 201, cx: 3.5, cy: 2.5 } });
    expect(Math.round(frames[2].timestamp - frames[0].timestamp)).toBe(200);
  });
});

test("DepthAI's calibration has the lens of each camera: aligned depth has colour's, else the first is taken and told", async () => {
  const camera = (f: number, k1: number) => ({
    ...{ cameraType: 0, width: WIDTH, height: HEIGHT, intrinsicMatrix: matrixOf(f, 3, 2) },
    distortionCoeff: [k1, ...new Array<number>(12).fill(0), 0.01],
  });
  const oak = JSON.stringify({ cameraData: [2, 0].map((socket) => [socket, camera(9 - socket, 0.1)]), version: 7 });
  const open = (name: string) => disk.open(disk.folder({ [name]: depthPng(depthValues(0)), "calib.json": oak }));
  const [aligned, plain] = [await open("aligned_depth_to_color_0.png"), await open("depth_0.png")];
  const bent = (await aligned.read(0)).intrinsics;
  expect([bent.fx, bent.distortionModel, bent.distortion?.[13]]).toEqual([9, "rational", 0.01]);
  expect((await plain.read(0)).intrinsics).toMatchObject({ fx: 7, cx: 3, width: WIDTH });
  const told = [aligned, plain].map(({ warnings }) => /the first of several cameras/.test(warnings.join()));
  expect(told).toEqual([false, true]);
});

test("of a chain of several cameras the first is taken and told, unless a topic is depth's or the lenses are alike", async () => {
  const chain = (topic: string, f = 8) =>
    `cam0:\n  intrinsics: [9, 9, 3, 2]\n  rostopic: /cam0/image_raw\ncam1:\n  intrinsics: [${f}, ${f}, 3, 2]\n  rostopic: ${topic}\n`;
  const told = async (text: string) => {
    const recording = await disk.open(disk.folder({ "0.png": depthPng(depthValues(0)), "camchain.yaml": text }));
    return [(await recording.read(0)).intrinsics.fx, /the first of several cameras/.test(recording.warnings.join())];
  };
  expect(await told(chain("/cam1/image_raw"))).toEqual([9, true]);
  expect(await told(chain("/camera/depth/image_raw"))).toEqual([8, false]);
  expect(await told(chain("/cam1/image_raw", 9))).toEqual([9, false]);
});

test("a model of distortion that nobody knows is told, and not taken for Brown's", async () => {
  const chain = "cam0:\n  intrinsics: [9, 9, 3, 2]\n  distortion_model: fov\n  distortion_coeffs: [0.9, 0, 0, 0]\n";
  const recording = await disk.open(disk.folder({ "0.png": depthPng(depthValues(0)), "camchain.yaml": chain }));
  expect((await recording.read(0)).intrinsics).toMatchObject({ fx: 9, cx: 3 });
  expect((await recording.read(0)).intrinsics.distortion).toBeUndefined();
  expect(recording.warnings.join()).toContain("camchain.yaml: its model of distortion, fov, is not known");
});
