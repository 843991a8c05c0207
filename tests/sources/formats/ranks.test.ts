import { encode } from "fast-png";
import { expect, test } from "vitest";
import {
  type Contents,
  colorPng,
  depthPng,
  depthValues,
  failure,
  HEIGHT,
  useFolder,
  WIDTH,
  zipOf,
} from "../fixtures.ts";
import { littleEndian } from "../makers/bytes.ts";
import { doubles, floats, npyOf } from "../makers/still.ts";
import { depths, K, lens, many, opened as openedIn, placeAt } from "../opening.ts";

// Series of depth of one rank, with what belongs to each; and what lies beside depth without being read, which is said.

const disk = useFolder();
const opened = (contents: Contents, topic?: string) => openedIn(disk, contents, topic === undefined ? {} : { topic });
const three = depths(3, (i) => `depth/${i}.png`);
const shades = (first: number, nameOf: (i: number) => string): Contents =>
  many(3, (i) => [nameOf(i), colorPng(first + i)]);

test("each camera of TransCG has its own unit and colour, and ground truth is asked for by name", async () => {
  const scene: Contents = {
    ...many(8, (i) => [`${i >> 1}/depth${1 + (i & 1)}.png`, depthPng(depthValues(i))]),
    ...many(8, (i) => [`${i >> 1}/depth${1 + (i & 1)}-gt.png`, depthPng(depthValues(50 + i))]),
    ...many(8, (i) => [`${i >> 1}/rgb${1 + (i & 1)}.png`, colorPng(10 * (i & 1) + (i >> 1))]),
  };
  expect(await failure(disk.folder(scene))).toMatch(/2 depth topics.*\*\/depth1\.png .*\*\/depth2\.png /s);
  for (const [camera, unit] of [
    [1, 0.001],
    [2, 0.00025],
  ]) {
    const { frames, from, told } = await opened(scene, `*/depth${camera}.png`);
    expect(frames.map(({ depth }) => depth.data[9])).toEqual(
      [0, 1, 2, 3].map((k) => depthValues(2 * k + camera - 1)[9]),
    );
    expect(frames.map(({ color }) => color?.data[0])).toEqual([0, 1, 2, 3].map((k) => 10 * (camera - 1) + k));
    expect([frames[0].metresPerUnit, from("unit")]).toEqual([unit, "TransCG default"]);
    expect(told).not.toMatch(new RegExp(`(rgb|depth)${3 - camera}`));
  }
});

test.each([
  [4, /4 depth topics.*3\/depth\*\.png \(.*3 frames/s],
  [7, /3 depth topics.*\*\/depth3\.png \(.*7 frames/s],
])(
  "%d numbered folders of three numbered images are takes if they are few, else frames of a rig",
  async (takes, told) => {
    const image = (i: number) => [`${Math.trunc(i / 3)}/depth${1 + (i % 3)}.png`, depthPng(depthValues(i))] as const;
    expect(
      await failure(disk.folder(Object.fromEntries(Array.from({ length: 3 * takes }, (_, i) => image(i))))),
    ).toMatch(told);
  },
);

test("colour, lens and confidence of a rig belong to the depth with whose series they share a word", async () => {
  const rig: Contents = {};
  for (const [k, name] of ["front", "top"].entries())
    Object.assign(rig, {
      ...depths(3, (i) => `${name}_depth_${i}.png`),
      ...shades(100 * k, (i) => `${name}_rgb_${i}.png`),
      ...many(3, (i) => [`${name}_conf_${i}.png`, colorPng(200 * k)]),
      [`${name}_intrinsics.json`]: JSON.stringify({ fx: 9 + k, fy: 9, cx: 3, cy: 2 }),
    });
  for (const [k, name] of ["front", "top"].entries()) {
    const { frames, told } = await opened(rig, `${name}*`);
    expect([frames[2].color?.data[0], frames[0].intrinsics.fx]).toEqual([100 * k + 2, 9 + k]);
    expect(told).not.toMatch(new RegExp(["top", "front"][k]));
    expect(told).not.toContain("the first of several cameras");
    const { frames: sure } = await openedIn(disk, rig, { topic: `${name}*`, minConfidence: 150 });
    expect(sure[0].depth.data[1] > 0).toBe(k === 1);
  }
});

const CAMERAS = [
  ["head", "wrist"],
  ["f1120593", "f1230727"],
  ["left_shoulder", "right_shoulder"],
  ["0", "1"],
] as const;
const PLACES: readonly (readonly [string, string])[] = [
  ["@_depth/#.png", "@_rgb/#.png"],
  ["depth/@/#.png", "rgb/@/#.png"],
  ["obs_000#/@_depth.png", "obs_000#/@_image.png"],
];
test.each(
  PLACES.flatMap(([depth, color]) => CAMERAS.map(([a, b]) => [depth, color, a, b] as const)).filter(
    ([depth, , a]) => depth.startsWith("depth") || a === "head" || (a !== "0" && depth.startsWith("@")),
  ),
)("%s has the colour of %s, for the cameras %s and %s", async (depth, color, ...cameras) => {
  const named = (pattern: string, camera: string, i: number | string) =>
    pattern.replace("@", camera).replace(/0*#/, `${i}`);
  const rig: Contents = {};
  for (const [k, camera] of cameras.entries())
    for (let i = 0; i < 4; i++) {
      rig[named(depth, camera, i)] = depthPng(depthValues(10 * k + i));
      rig[named(color, camera, i)] = colorPng(100 * k + i);
    }
  for (const [k, camera] of cameras.entries()) {
    const topic = depth.startsWith("obs") ? `obs_*/${camera}_depth.png` : named(depth, camera, "*");
    const { frames, told } = await opened(rig, topic);
    expect(frames.map((frame) => [frame.depth.data[9], frame.color?.data[0]])).toEqual(
      [0, 1, 2, 3].map((i) => [depthValues(10 * k + i)[9], 100 * k + i]),
    );
    expect(told).not.toContain("not read");
  }
});

test("folders of episodes and arrays are recordings of their own", async () => {
  const stack = npyOf(
    "<u2",
    [2, HEIGHT, WIDTH],
    littleEndian(Uint16Array.from([0, 1].flatMap((i) => [...depthValues(i)]))),
  );
  for (const name of ["episode_#/depth.png", "robot_#/depth.npy"]) {
    const bytes = name.endsWith("npy") ? stack : depthPng(depthValues(0));
    const told = await failure(disk.folder(many(3, (i) => [name.replace("#", `${i}`), bytes])));
    expect(told).toContain(name.replace("#", "2"));
  }
  const files = [0, 1].map((i) => ({
    [`robot_${i}/depth.npy`]: stack,
    [`robot_${i}/K.npy`]: npyOf("<f8", [3, 3], doubles(9 + i, 0, 3, 0, 9, 2, 0, 0, 1)),
  }));
  const { frames, told } = await opened(Object.assign({}, ...files), "robot_1/depth.npy");
  expect([frames.length, frames[1].intrinsics.fx]).toEqual([2, 10]);
  expect(told).not.toContain("robot_0");
});

test("colour that counts from 1 beside depth that counts from 0 is paired in its order", async () => {
  const { frames, told } = await opened({
    ...depths(3, (i) => `depth_${i}.png`),
    ...shades(7, (i) => `rgb_${i + 1}.png`),
  });
  expect(frames.map(({ color }) => color?.data[0])).toEqual([7, 8, 9]);
  expect(told).toContain("paired in their order, as depth's names count from 0 and theirs from 1");
});

test.each([
  ["100 m from frame to frame", {}],
  ["3000 m a second", { "times.txt": "0.0\n0.033333\n0.066667\n" }],
])("poses in millimetres cause doubt: %s", async (way, beside) => {
  const poses = (step: number) => [0, 1, 2].map((i) => placeAt(step * i).join(" ")).join("\n");
  expect((await opened({ ...three, ...beside, "poses.txt": poses(100) })).told).toContain(`the camera moves ${way}`);
  expect((await opened({ ...three, ...beside, "poses.txt": poses(1) })).told).not.toContain("the camera moves");
});

test("true depth beside measured depth is its ground truth, not a second camera", async () => {
  const { depth } = await opened({
    ...depths(3, (i) => `00000${i}-depth.png`),
    ...many(3, (i) => [`00000${i}-depth_true.png`, depthPng(depthValues(9))]),
  });
  expect(depth).toEqual([0, 1, 2].map((i) => depthValues(i)[9]));
});

test("what a reconstruction packs in one .npz is read: images, a lens and an extrinsic matrix for each frame", async () => {
  const stack = floats([0, 1, 2].flatMap((i) => [...depthValues(i)].map((mm) => mm / 1000)));
  const frames = [0, 1, 2];
  const path = disk.file(
    "predictions.npz",
    zipOf({
      "depth.npy": npyOf("<f4", [3, HEIGHT, WIDTH, 1], stack),
      "images.npy": npyOf("|u1", [3, HEIGHT, WIDTH, 3], new Uint8Array(9 * WIDTH * HEIGHT).fill(77)),
      "world_points.npy": npyOf("<f4", [3, HEIGHT, WIDTH, 3], floats([0])),
      "intrinsic.npy": npyOf(
        "<f8",
        [3, 3, 3],
        doubles(...frames.flatMap((i) => K.map((one) => one * (i === 2 ? 2 : 1)))),
      ),
      "extrinsic.npy": npyOf("<f8", [3, 3, 4], doubles(...frames.flatMap((i) => placeAt(-2 * i).slice(0, 12)))),
    }),
  );
  const recording = await disk.open(path);
  const last = await recording.read(2);
  expect([last.intrinsics.fx, last.color?.data[0], last.pose?.[3]]).toEqual([9, 77, 4]);
  expect(recording.warnings.join()).toMatch(
    /extrinsic.*from the world to the camera.*its 3 lenses differ.*beside depth lie world_points, which/s,
  );
});

const HDF = Buffer.concat([
  Buffer.from("MATLAB 7.3 MAT-file, Platform".padEnd(512)),
  Buffer.from("\x89HDF\r\n\x1a\n", "latin1"),
]);
const NPY = "\x93NUMPY\x01\0";
test.each<[string, string, string | Uint8Array]>([
  [
    "poses.npy: it is no NumPy array of a few numbers a frame, or it is damaged",
    "poses.npy",
    Buffer.from(NPY, "latin1"),
  ],
  ["camera.mat: this MATLAB file is cut short", "camera.mat", Buffer.from("MATLAB 5.0 MAT-file")],
  ["K.npy: it is no NumPy array of a few numbers", "K.npy", Buffer.from(`${NPY}\x10\0garbage`, "latin1")],
  ["poses.npy: it is no NumPy array of a few numbers", "poses.npy", npyOf("|O", [], new Uint8Array(40))],
  ["calib.mat: it is a MATLAB file of version 7.3 (HDF5), which is not read", "calib.mat", HDF],
  ["calib.mat: it is no MATLAB file, or it is damaged", "calib.mat", "damaged"],
  ["beside depth lie rgb/, which are not read", "rgb/0.webp", "RIFF"],
  ["beside depth lie color.avi, which are not read", "color.avi", "RIFF"],
  ["beside depth lie poses.jsonl, which are not read", "poses.jsonl", "{}"],
  ["beside depth lie normals.npy, which are not read", "normals.npy", npyOf("<f4", [1], floats([1]))],
])("it is said: %s", async (sentence, name, bytes) => {
  const { told, length } = await opened({ ...three, [name]: bytes });
  expect([told, length]).toEqual([expect.stringContaining(sentence), 3]);
});

test("colour in a folder of any name beside depth's, with as many images, is found", async () => {
  const { frames } = await opened({ ...depths(3, (i) => `d/${i}_d.png`), ...shades(7, (i) => `c/${i}_c.png`) });
  expect(frames.map(({ color }) => color?.data[0])).toEqual([7, 8, 9]);
});

test.each([
  ["depth", depthPng(depthValues(0))],
  ["pictures", colorPng(7)],
])("no camera is lost where another one has as many images as a folder of %s", async (_, third) => {
  const told = await failure(
    disk.folder({
      ...depths(3, (i) => `alice/${i}.png`),
      ...many(4, (i) => [`bob/${i}.png`, depthPng(depthValues(i))]),
      ...many(3, (i) => [`carol/${i}.png`, third]),
    }),
  );
  expect(told).toMatch(/alice\/\*\.png.*bob\/\*\.png/s);
});

test("the lens of depth among several arrays, and of a JSON with Python's NaN", async () => {
  const matrix = (f: number) => npyOf("<f8", [3, 3], doubles(f, 0, 3, 0, f, 2, 0, 0, 1));
  const depth = npyOf("<u2", [HEIGHT, WIDTH], littleEndian(depthValues(0)));
  const arrays = { "color_intrinsics.npy": matrix(20), "depth_intrinsics.npy": matrix(9), "depth.npy": depth };
  const recording = await disk.open(disk.file("a.npz", zipOf(arrays)));
  expect((await recording.read(0)).intrinsics.fx).toBe(9);
  const { frames } = await opened({ ...three, "camera.json": '{"fx": 9, "fy": 9, "cx": 3, "cy": 2, "rms": NaN}' });
  expect(frames[0].intrinsics.fx).toBe(9);
});

test("lengths of rays are told by the text of each frame, as Unity writes it", async () => {
  const capture = { annotations: [{ id: "Depth", measurementStrategy: "Range" }], ...lens };
  const { frames } = await opened({
    ...depths(3, (i) => `sequence.${i}/step0.camera.Depth.png`),
    ...many(3, (i) => [`sequence.${i}/step0.frame_data.json`, JSON.stringify({ frame: i, captures: [capture] })]),
  });
  const corner = Math.hypot((1 - lens.cx) / lens.fx, lens.cy / lens.fy, 1);
  expect(frames[1].depth.data[1]).toBe(Math.round(depthValues(1)[1] / corner));
});

test("a calibration around the recording's folder that is not read is named", async () => {
  const calib = "640 480\n573.7 574.3\n346.4 249.0\n\naffine 0.001 0.0\n";
  const { told } = await opened({ ...depths(3, (i) => `Frames/depth_${i}.png`), "calib.txt": calib });
  expect(told).toContain("beside depth lie calib.txt, which are not read");
});

test.each([
  [0.00025, { depth: { unit: "m", scale: 0.00025 } }],
  [0.0001, { depth_unit: "0.1mm" }],
  [0.0001, { depth_units: "100 um" }],
  [0.001, { depth_unit: "mm" }],
  // What an image was resized by, and no unit at all: millimetres are assumed.
  [0.001, { rgb: { scale: 0.005 }, depth: { scale: 0.25 } }],
  [0.001, { depth: { scale: 2 } }],
  [0.001, { depth_units: "0 cm" }],
  [0.001, { depth_units: "1.2.3 cm" }],
])("the unit is %s m in %j", async (unit, said) => {
  const { frames } = await opened({ ...three, "info.json": JSON.stringify(said) });
  expect(frames[0].metresPerUnit).toBeCloseTo(unit, 9);
});

test.each([
  ["frames as numbers in text", "depth/0000.csv"],
  ["point clouds", "cloud_0.pcd"],
  ["arrays of Zarr", "data.zarr/0.0.0"],
  ["Python's pickles", "frames/0.pkl"],
])("a folder of %s is refused by that name", async (kind, name) => {
  expect(await failure(disk.folder({ [name]: "x", [`${name}1`]: littleEndian(depthValues(0)) }))).toContain(kind);
});

test("a folder of depth whose PNGs are grey of 8 bits is refused when it is opened", async () => {
  const grey = encode({
    width: WIDTH,
    height: HEIGHT,
    channels: 1,
    depth: 8,
    data: new Uint8Array(WIDTH * HEIGHT).fill(90),
  });
  expect(await failure(disk.folder(many(3, (i) => [`depth/${i}.png`, grey])))).toContain("an 8-bit greyscale PNG");
});
