import { expect, test } from "vitest";
import { type Contents, colorPng, depthPng, depthValues, failure, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { mcapOf, readAll } from "../logs/files.ts";
import { rows16 } from "../logs/frames.ts";
import { ros2Image, ros2Lens } from "../logs/messages.ts";
import { floats, npyOf } from "../makers/still.ts";
import { depths, K, lens, many, matrixOf, opened as openedIn, placeAt } from "../opening.ts";

// Layouts that public data sets and makers' programs write, and that were read wrongly, or refused without a way out.

const disk = useFolder();
const opened = (contents: Contents, name?: string) => openedIn(disk, contents, {}, name);
const topicsOf = async (contents: Contents) =>
  (await failure(disk.folder(contents)))
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(" ")[0]);
const xs = [0, 2, 4].map((x) => [x, 0, 0]);
const inverse = (i: number) => placeAt(-2 * i);

test.each<[string, (i: number) => string, Contents]>([
  ["SceneNet RGB-D", (i) => `depth/${25 * i}.png`, { "photo/0.jpg": "", "instance/0.png": depthPng(depthValues(9)) }],
  ["InteriorNet", (i) => `depth0/data/${i}.png`, { "cam0.render": "" }],
  ["Aria Synthetic Environments", (i) => `depth/depth000000${i}.png`, { "vignette0000000.jpg": "" }],
])("the lengths of rays of %s are turned into depth, and that is said", async (set, nameOf, beside) => {
  const { frames, told } = await opened({ ...depths(3, nameOf), ...beside, "K.txt": K.join(" ") });
  const corner = Math.hypot((0 - lens.cx) / lens.fx, (0 - lens.cy) / lens.fy, 1);
  expect(frames[0].depth.data[0]).toBe(Math.round(depthValues(0)[0] / corner));
  expect(told).toContain(`as in ${set} its values are lengths of rays`);
});

test.each<[string, number, (i: number) => string, Contents]>([
  ["Stanford's 2D-3D-S", 1 / 512, (i) => `depth/camera_ab_office_1_frame_${i}_domain_depth.png`, {}],
  ["Virtual KITTI", 0.01, (i) => `frames/depth/Camera_0/depth_0000${i}.png`, {}],
  ["DrivingStereo", 1 / 256, (i) => `depth-map-half-size/2018-07-09/${i}.png`, {}],
  ["iBims-1", 50 / 65535, (i) => `ibims1_core_raw/depth/office_0${i}.png`, {}],
  ["Falling Things", 1e-4, (i) => `00000${i}.left.depth.png`, { "_camera_settings.json": "{}" }],
])("depth of %s has its unit", async (set, unit, nameOf, beside) => {
  const { frames, from } = await opened({ ...depths(3, nameOf), ...beside });
  expect(frames[0].metresPerUnit).toBe(unit);
  expect(from("unit")).toBe(`${set} default`);
});

test.each<[string, Contents]>([
  [
    "MVSNet's cameras",
    many(3, (i) => [
      `cams/${i}_cam.txt`,
      `extrinsic\n${inverse(i).join(" ")}\n\nintrinsic\n${K.join(" ")}\n\n425.0 2.5\n`,
    ]),
  ],
  [
    "HOPE's JSON",
    many(3, (i) => [
      `${i}.json`,
      JSON.stringify({
        camera: { extrinsics: inverse(i), intrinsics: matrixOf(9, 3.25, 2.25), width: 6 },
        objects: [],
      }),
    ]),
  ],
  [
    "Wild RGB-D's files",
    {
      metadata: JSON.stringify({ K: [9, 0, 0, 0, 9.5, 0, 3.25, 2.25, 1], w: WIDTH, h: HEIGHT }),
      "cam_poses.txt": [0, 1, 2].map((i) => `${i} ${placeAt(2 * i).join(" ")}\n`).join(""),
    },
  ],
])("poses and lens come from %s", async (_, beside) => {
  const { frames, places } = await opened({ ...depths(3, (i) => `depth/${i}.png`), ...beside });
  expect(frames[1].intrinsics).toMatchObject({ fx: 9, cx: 3.25 });
  expect(places).toEqual(xs);
});

test("Virtual KITTI's lists give each camera its poses and the lens", async () => {
  const rows = (of: (i: number, camera: number) => string) =>
    [0, 1, 2].flatMap((i) => [0, 1].map((camera) => `${i} ${camera} ${of(i, camera)}\n`)).join("");
  const lists = {
    "extrinsic.txt": `frame cameraID r1,1 r1,2 r1,3 t1 r2,1 r2,2 r2,3 t2 r3,1 r3,2 r3,3 t3 0 0 0 1\n${rows((i, camera) => placeAt(-2 * i - camera).join(" "))}`,
    "intrinsic.txt": `frame cameraID K[0,0] K[1,1] K[0,2] K[1,2]\n${rows(() => "9 9.5 3.25 2.25")}`,
  };
  for (const camera of [0, 1]) {
    const { frames, places } = await opened({
      ...depths(3, (i) => `frames/depth/Camera_${camera}/depth_0000${i}.png`),
      ...lists,
    });
    expect(frames[2].intrinsics).toMatchObject(lens);
    expect(places).toEqual(xs.map(([x]) => [x + camera, 0, 0]));
  }
});

test("the angle of NeRF's transforms.json is the lens, and poses beside focal.txt are those of cameras that look along -z", async () => {
  const angle = { "transforms.json": JSON.stringify({ camera_angle_x: 2 * Math.atan(0.5) }) };
  const { frames } = await opened({ ...depths(2, (i) => `depth/${i}.png`), ...angle });
  expect(frames[0].intrinsics.fx).toBeCloseTo(WIDTH, 9);
  const poses = [0, 1].map(() => "1 0 0 0\n0 -1 0 0\n0 0 -1 0\n0 0 0 1\n").join("");
  const upright = (nameOf: (i: number) => string) =>
    opened({ ...depths(2, nameOf), "poses.txt": poses, "focal.txt": "9\n" });
  const neural = await upright((i) => `depth/depth${i}.png`);
  expect([neural.frames[0].pose, neural.told]).toEqual([placeAt(0), expect.stringContaining("looking along -z")]);
  expect((await upright((i) => `depth/${i}.png`)).frames[0].pose?.[5]).toBe(-1);
});

test("folders of frames have series of cameras, or the frame's number in their files' names again", async () => {
  const rig = many(12, (i) => [`t000${i >> 2}.000/k${i & 3}.depth.png`, depthPng(depthValues(i))]);
  expect(await topicsOf(rig)).toEqual([0, 1, 2, 3].map((k) => `t*/k${k}.depth.png`));
  const { depth, frames } = await opened({
    ...depths(3, (i) => `000${i}/000${i}_depth.png`),
    ...many(3, (i) => [`000${i}/000${i}_color.png`, colorPng(7 + i)]),
  });
  expect(depth).toEqual([0, 1, 2].map((i) => depthValues(i)[9]));
  expect(frames[2].color?.data[0]).toBe(9);
});

test("a number of which each value has the same other numbers tells cameras apart, and a time of day does not", async () => {
  const two = many(8, (i) => [`depth_${i & 1}_000${i >> 1}.png`, depthPng(depthValues(i))]);
  expect(await topicsOf(two)).toEqual(["depth_0_*.png", "depth_1_*.png"]);
  const { length } = await opened(depths(5, (i) => `depth_23595${8 + (i >> 2)}_${(i & 3) + 1}00.png`));
  expect(length).toBe(5);
});

test.each([
  ["parts", 3, 4, (part, i) => `depth_part${part}_000${i}.png`],
  ["a second and a frame", 4, 5, (second, i) => `depth_${10 + second}_${i}.png`],
  ["a time of day", 3, 6, (minute, i) => `depth_12_${30 + minute}_${i}0.png`],
  ["six digits that count", 8, 9, (frame, i) => `depth_00000${frame}_${i}.png`],
  ["a time of day and a frame", 10, 11, (second, i) => `depth_12300${second}_${i}.png`],
  ["a second and a frame of it", 10, 11, (second, i) => `depth_${second}_${i}.png`],
  ["two long numbers", 3, 4, (part, i) => `depth_000${part}_000${i}.png`],
] as [string, number, number, (a: number, b: number) => string][])(
  "files named by %s are one series",
  async (_, many, each, nameOf) => {
    const { length } = await opened(depths(many * each, (i) => nameOf(Math.floor(i / each), i % each)));
    expect(length).toBe(many * each);
  },
);

test("colour pairs with depth beside sizes in names, in folders of numbered cameras, and under names of other languages", async () => {
  const redOf = async (depthOf: (i: number) => string, colorOf: (i: number) => string, more: Contents = {}) => {
    const images = many(3, (i) => [colorOf(i), colorPng(40 + i)]);
    const { frames } = await opened({ ...depths(3, depthOf), ...images, ...more });
    return frames.map(({ color }) => color?.data[0]);
  };
  const reds = [40, 41, 42];
  expect(
    await redOf(
      (i) => `Depth_640x576_${i}_${33 * i}ms.png`,
      (i) => `Color_1280x720_${i}_${33 * i}ms.png`,
    ),
  ).toEqual(reds);
  const second = many(3, (i) => [`images1/im_${i}.png`, colorPng(9)]);
  expect(
    await redOf(
      (i) => `depth_images0/im_${i}.png`,
      (i) => `images0/im_${i}.png`,
      second,
    ),
  ).toEqual(reds);
  expect(
    await redOf(
      (i) => `深度/${i}.png`,
      (i) => `彩色/${i}.png`,
    ),
  ).toEqual(reds);
});

test("ticks of 100 ns since 1970 are times, and a stack whose last axis counts images is refused", async () => {
  const { frames } = await opened(depths(3, (i) => `${16233051861828957n + 333333n * BigInt(i)}_abs_depth.png`));
  expect(frames[2].timestamp - frames[0].timestamp).toBeCloseTo(66.67, 1);
  for (const [from, step] of [
    [637_000_000_000_000_000n, 333_333n],
    // Nanoseconds of a machine that has run for months.
    [14_000_000_000_000_000n, 33_333_333n],
  ]) {
    const lines = [0n, 1n, 2n].map((i) => `${from + step * i}\n`);
    const lists = await opened({ ...depths(3, (i) => `depth/${i}.png`), "timestamps.txt": lines.join("") });
    expect(lists.frames[2].timestamp - lists.frames[0].timestamp).toBeCloseTo(66.67, 1);
  }
  const stack = npyOf("<f4", [48, 64, 5], floats(Array(48 * 64 * 5).fill(1)));
  expect(await failure(`${disk.folder({ "a.npy": stack })}/a.npy`)).toContain("last axis counts images");
});

test("depth of which nothing is near, or of which all values have a divisor, is told of where nothing says the unit", async () => {
  const told = async (depthOf: (i: number) => number) => {
    const values = Uint16Array.from({ length: 160 }, (_, i) => depthOf(i));
    const stack = npyOf("<u2", [10, 16], new Uint8Array(values.buffer));
    return (await opened({ "depth.npy": stack })).told;
  };
  expect(await told((i) => 15_360 + i)).toContain("is nearer than 15 m");
  expect(await told((i) => 5000 + 5 * i)).toContain("is a multiple of 5");
  expect(await told((i) => 5000 + 3 * i)).not.toContain("nothing in frame");
});

const imageOn = (topic: string, i: number) => ({
  topic,
  time: 1000 + 40 * i,
  message: ros2Image({ encoding: "16UC1", data: rows16(new Uint16Array(24).fill(1000)) }),
});

test("topics named after distances hold lengths of rays; those named after other things are no depth beside depth, and told of alone", async () => {
  const info = { topic: "/ifm3d/camera_info", time: 1000, message: ros2Lens({ k: [9, 0, 3, 0, 9, 2, 0, 0, 1] }) };
  const rays = await readAll(await mcapOf([imageOn("/ifm3d/distance", 0), info]), "a.mcap");
  expect(rays.warnings.join()).toContain("/ifm3d/distance: by its name its values are lengths of rays");
  expect(rays.frames[0].depth[0]).toBe(Math.round(1000 / Math.hypot(3 / 9, 2 / 9, 1)));
  const beside = ["/flir_boson/image", "/camera/depth/image", "/camera/depth_conf/image"].map(imageOn);
  expect((await readAll(await mcapOf(beside), "a.mcap")).warnings.join()).not.toContain("no depth");
  const alone = await readAll(await mcapOf([imageOn("/stereo/disparity_image", 0)]), "a.mcap");
  expect(alone.warnings.join()).toContain("/stereo/disparity_image: its name says that its images are no depth");
});
