import { expect, test } from "vitest";
import { type Contents, colorPng, depthPng, depthValues, HEIGHT, useFolder, WIDTH, zipOf } from "../fixtures.ts";
import { doubles, floats, npyOf } from "../makers/still.ts";
import { depths, K, lens, many, matrixOf, opened as openedIn, placeAt } from "../opening.ts";

// What lies beside depth in layouts of public data sets and recorders: tables of frames, poses in parts, lenses of one camera of a rig.

const disk = useFolder();
const opened = (contents: Contents, topic?: string, name?: string) =>
  openedIn(disk, contents, topic === undefined ? {} : { topic }, name);
const TIMES = [0, 50, 90, 200];
const frames = depths(4, (i) => `depth/00000${i}.png`);
const since = (found: Awaited<ReturnType<typeof opened>>) =>
  found.frames.map(({ timestamp }) => Math.round(timestamp - found.frames[0].timestamp));
const table = (heading: string, row: (i: number) => string, order = [0, 1, 2, 3]) =>
  `${[heading, ...order.map(row)].filter((line) => line !== "").join("\n")}\n`;
const seconds = (i: number) => (1.7e9 + TIMES[i] / 1000).toFixed(3);
const iso = (i: number) => new Date(1.7e12 + TIMES[i]).toISOString();

test.each([
  [
    "frames.csv",
    table(
      "frame,timestamp_ms,rgb_path,depth_path",
      (i) => `${i},${1.7e12 + TIMES[i]},rgb/00000${i}.png,depth/00000${i}.png`,
    ),
  ],
  ["frames.csv", table("scene_id,timestamp,depth_path", (i) => `7,${seconds(i)},/data/7/depth/00000${i}.png`)],
  ["timestamps.csv", table("filename,timestamp", (i) => `00000${i}.png,${seconds(i)}`, [3, 2, 1, 0])],
  ["timestamps.csv", table("frame;time;depth_file", (i) => `${i};${iso(i)};00000${i}.png`)],
  [
    "timestamps.csv",
    table("frame,color_timestamp,depth_timestamp", (i) => `${i},${Number(seconds(i)) + 9 * i},${seconds(i)}`),
  ],
  ["timestamps.csv", table("frame_id,timestamp_ns", (i) => `${i},${1.7e12 + TIMES[i]}000000`, [2, 0, 1, 3])],
  ["timestamps.txt", table("", (i) => `00000${i} ${seconds(i)}`)],
  ["timestamps.txt", table("", (i) => iso(i))],
  ["timestamps.csv", table("frame,timestamp", (i) => `${i},${iso(i).replace("T", " ")}`, [3, 0, 1, 2])],
  ["timestamps.txt", table("", (i) => `00000${i}.png ${seconds(i)}`, [1, 0, 3, 2])],
  ["frames.csv", table("frame,timestamp", (i) => `${i},${iso(i).slice(0, -1).replaceAll("-", "/").replace("T", " ")}`)],
  ["meta.json", JSON.stringify({ timestamps_ms: TIMES.map((time) => 1.7e12 + time) })],
])("the times of %s belong to the images that it names", async (name, text) => {
  const found = await opened({ ...frames, [name]: text });
  expect(since(found)).toEqual(TIMES);
  expect(found.told).not.toContain(name);
});

test.each([
  ["time_s", 5000],
  ["timestamp_ms", 2],
])("times in %s are in the unit that the name says", async (column, step) => {
  const text = table(`frame,${column}`, (i) => `${i},${column === "time_s" ? 5 * i : 2 * i}`);
  expect(since(await opened({ ...frames, "frames.csv": text }))).toEqual([0, 1, 2, 3].map((i) => i * step));
});

test("columns of a table of times that are not read are named", async () => {
  const text = table("timestamp,depth,x,y,z,roll,pitch,yaw", (i) => `${seconds(i)},00000${i}.png,${i},0,0,0,0,0`);
  expect((await opened({ ...frames, "poses.csv": text })).told).toContain("timestamp used, not used: x, y, z, roll");
});

test("numbers behind images' names are times only in a text of times", async () => {
  const found = await opened({ ...frames, "labels.txt": table("", (i) => `00000${i}.png ${i}`) });
  expect(since(found)).toEqual([0, 33, 67, 100]);
  expect(found.told).toContain("labels.txt, which are not read");
});

const poseRow = (i: number) => `${seconds(i)},depth/00000${i}.png,${i / 10},0,0,0,0,0,1`;
const turned = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const byRows = [turned.slice(0, 3), turned.slice(3, 6), turned.slice(6)];
const parted = (i: number) => ({ R: byRows, t: [i / 10, 0, 0] });
const all = [0, 1, 2, 3];
test.each<[string, Contents, RegExp | undefined]>([
  ["columns of a table", { "poses.csv": table("timestamp,depth,tx,ty,tz,qx,qy,qz,qw", poseRow) }, undefined],
  [
    "named columns of one kind",
    {
      "dataset.csv": table(
        "time,depth,odometry_x,odometry_y,odometry_z,odometry_qx,odometry_qy,odometry_qz,odometry_qw",
        poseRow,
      ),
    },
    undefined,
  ],
  [
    "R and t in a list",
    { "camera_poses.json": JSON.stringify(all.map(parted)) },
    /camera_poses\.json: its turns and places are taken for the camera's/,
  ],
  [
    "R and t for each frame",
    many(4, (i) => [`poses/${i}.json`, JSON.stringify(parted(i))]),
    /poses: its turns and places are taken for the camera's/,
  ],
  [
    "rotation and translation by number",
    {
      "poses.json": JSON.stringify(
        Object.fromEntries(all.map((i) => [i, { rotation: byRows, translation: [i / 10, 0, 0] }])),
      ),
    },
    /turns and places/,
  ],
  ["R and t to the camera", { "w2c.json": JSON.stringify(all.map((i) => parted(-i))) }, /from the world to the camera/],
])("poses in %s are read", async (_, texts, told) => {
  const found = await opened({ ...frames, ...texts });
  expect(found.places.map((place) => place?.[0])).toEqual([0, 0.1, 0.2, 0.3]);
  if (told) expect(found.told).toMatch(told);
  else expect(found.told).not.toContain("not read");
});

test.each<[string, Contents, string]>([
  ["objects' turns and places", { "object_poses.json": JSON.stringify(all.map(parted)) }, "object_poses.json"],
  [
    "a form that is not known",
    many(4, (i) => [`pose/${i}.json`, JSON.stringify({ position: [i, 0, 0], rotation: [1, 0, 0, 0] })]),
    "pose/",
  ],
])("poses of %s are not read, and that is said", async (_, texts, name) => {
  const found = await opened({ ...frames, ...texts });
  expect(found.places).toEqual([undefined, undefined, undefined, undefined]);
  expect(found.told).toContain(`${name}, which are not read`);
});

const scene = depths(4, (i) => `imgs/scene_01/0000${i}-depth.png`);
const track = { "pc/01.pose": all.map((i) => `1 0 0 0 ${i / 10} 0 0`).join("\n") };
test("poses in a folder beside the images' one are the recording's where the opened folder has one, else nobody's", async () => {
  const found = await opened({ ...scene, ...track });
  expect(found.places.map((place) => place?.[0])).toEqual([0, 0.1, 0.2, 0.3]);
  expect(found.told).toContain("pc/01.pose beside its folder is taken for this recording's");
  const two = await opened(
    { ...scene, ...track, ...depths(4, (i) => `imgs/scene_02/0000${i}-depth.png`) },
    "*scene_01*",
  );
  expect(two.places[1]).toBeUndefined();
});

test("of a recording in an inner folder, files of the opened folder that are not read are named", async () => {
  const found = await opened({ ...depths(3, (i) => `frames2/0000${i}.png`), "data.jsonl": '{"time":1}\n' });
  expect(found.told).toContain("data.jsonl, which are not read");
});

test("the lenses of TransCG lie beside the scenes, each by its camera's number", async () => {
  const scene: Contents = {
    ...many(8, (i) => [`scene1/${i >> 1}/depth${1 + (i & 1)}.png`, depthPng(depthValues(i))]),
    ...many(8, (i) => [`scene1/${i >> 1}/depth${1 + (i & 1)}-gt.png`, depthPng(depthValues(50 + i))]),
    "camera_intrinsics/1-camIntrinsics-D435.npy": npyOf("<f8", [3, 3], doubles(...K.map((one) => 2 * one))),
    "camera_intrinsics/2-camIntrinsics-L515.npy": npyOf("<f8", [3, 3], doubles(...K)),
  };
  const recording = await disk.open(`${disk.folder(scene)}/scene1`, { topic: "*/depth2.png" });
  expect((await recording.read(0)).intrinsics).toMatchObject(lens);
  expect(recording.warnings.join()).toMatch(
    /the camera is that of the folder around it, by file .*2-camIntrinsics-L515/,
  );
});

test("the lens of a rig's camera is found by a number of three digits, whatever word stands before it", async () => {
  const cameras = (f: number) => ({ K: matrixOf(f, lens.cx, lens.cy), R: byRows, T: [0, 0, 0] });
  const found = await opened(
    {
      ...depths(4, (i) => `kinect_depth/kinect_000/00000${i}.png`),
      ...depths(4, (i) => `kinect_depth/kinect_001/00000${i}.png`),
      "cameras.json": JSON.stringify({ kinect_depth_000: cameras(20), kinect_depth_001: cameras(9) }),
    },
    "kinect_depth/kinect_001/*",
  );
  expect(found.frames[0].intrinsics.fx).toBe(9);
});

test("of arrays by key, colour is that of depth's own camera", async () => {
  const array = (i: number) => npyOf("<f4", [HEIGHT, WIDTH], floats([...depthValues(i)].map((value) => value / 1000)));
  const color = (shade: number) => npyOf("|u1", [HEIGHT, WIDTH, 3], new Uint8Array(3 * WIDTH * HEIGHT).fill(shade));
  const contents = many(3, (i) => [
    `episode_${i}.npz`,
    zipOf({
      "depth_static.npy": array(i),
      "depth_gripper.npy": array(9 + i),
      "rgb_static.npy": color(10 + i),
      "rgb_gripper.npy": color(90 + i),
    }),
  ]);
  const found = await opened(contents, "*depth_static*");
  expect(found.frames.map(({ color: image }) => image?.data[0])).toEqual([10, 11, 12]);
});

test("3DMatch has 7-Scenes' names and a lens of its own", async () => {
  const found = await opened({
    ...depths(2, (i) => `frame-00000${i}.depth.png`),
    ...many(2, (i) => [`frame-00000${i}.color.png`, colorPng(i)]),
    ...many(2, (i) => [`frame-00000${i}.pose.txt`, placeAt(i).join(" ")]),
    "camera-intrinsics.txt": K.join(" "),
  });
  expect(found.frames[0].intrinsics).toMatchObject(lens);
  expect(found.from("intrinsics")).toBe("file camera-intrinsics.txt");
});

test("an array of times is read", async () => {
  const found = await opened({
    ...frames,
    "timestamps.npy": npyOf("<f8", [4], doubles(...all.map((i) => Number(seconds(i))))),
  });
  expect(since(found)).toEqual(TIMES);
});

const places = (by: number) => npyOf("<f8", [4, 4, 4], doubles(...all.flatMap((i) => placeAt(i * by))));
const each = (folder: string): Contents => many(4, (i) => [`${folder}/00000${i}.txt`, placeAt(i).join(" ")]);
test.each<[string, Contents]>([
  ["eef_poses.npy", { "eef_poses.npy": places(1) }],
  ["tcp_pose.csv", { "tcp_pose.csv": table("frame,x,y,z,qx,qy,qz,qw", (i) => `${i},${i},0,0,0,0,0,1`) }],
  ["lidar_poses.txt", { "lidar_poses.txt": table("", (i) => placeAt(i).join(" ")) }],
  ["ob_in_cam/", each("ob_in_cam")],
  ["object_pose/", each("object_pose")],
  ["hand_pose/", each("hand_pose")],
  ["ee_pose/", each("ee_pose")],
  ["gripper/", each("gripper/poses")],
])("%s, poses of something else than the camera, is not the camera's, and that is said", async (name, texts) => {
  const found = await opened({ ...frames, ...texts });
  expect(found.places).toEqual([undefined, undefined, undefined, undefined]);
  expect(found.told).toContain(`${name}, which are not read`);
  const both = await opened({ ...frames, ...texts, "camera_poses.npy": places(0.1) });
  expect(both.places.map((place) => place?.[0])).toEqual([0, 0.1, 0.2, 0.30000000000000004]);
});

test.each([
  ["pred_depth", "gt_depth", "gt_depth"],
  ["depth", "depth_pred", "depth"],
  ["mono_depth", "sensor_depth", "sensor_depth"],
  ["depth", "depth_std", "depth"],
  ["depth_error", "depth", "depth"],
  ["depth", "uncertainty", "depth"],
  ["estimated_depth", "labels", "estimated_depth"],
])("of %s and %s, %s is what was measured", async (one, other, measured) => {
  const found = await opened({
    ...many(3, (i) => [`${one}/${i}.png`, depthPng(depthValues(i))]),
    ...many(3, (i) => [`${other}/${i}.png`, depthPng(depthValues(9 + i))]),
  });
  expect(found.depth).toEqual([0, 1, 2].map((i) => depthValues(i + (measured === other ? 9 : 0))[9]));
});

test.each<[string, Contents]>([
  ["photographs", many(4, (i) => [`room2/rgb/00000${i}.jpg`, "x"])],
  ["a film", { "room2/scan.mp4": "x" }],
])("texts beside %s in another folder are not this recording's", async (_, other) => {
  const found = await opened({
    ...depths(4, (i) => `room1/depth/00000${i}.png`),
    ...other,
    ...each("room2/pose"),
    "room2/poses.txt": table("", (i) => placeAt(i).join(" ")),
    "room2/camera.json": JSON.stringify(lens),
  });
  expect(found.places).toEqual([undefined, undefined, undefined, undefined]);
  expect(found.from("intrinsics")).toBe("assumed");
});

test.each([
  [
    "imu.csv",
    table(
      "index,timestamp,ax",
      (i) => `${i},${(1.7e9 + i / 200).toFixed(3)},9.8`,
      Array.from({ length: 200 }, (_, i) => i),
    ),
  ],
  ["imu_times.csv", table("index,timestamp", (i) => `${i},${seconds(i)}`)],
  ["rgb_frames.csv", table("frame,timestamp_ms", (i) => `${i},${1.7e12 + 16 * i}`, [0, 1, 2, 3, 4, 5, 6, 7])],
  ["rgb.csv", table("file,timestamp", (i) => `rgb/00000${i}.png,${seconds(i)}`)],
])("the times of %s, another sensor's, are not depth's, and that is said", async (name, text) => {
  const found = await opened({ ...frames, [name]: text });
  expect(since(found)).toEqual([0, 33, 67, 100]);
  expect(found.told).toContain(`${name}, which are not read`);
});

test.each(["labels.csv", "objects.csv", "robot_states.csv"])(
  "places in %s are no poses of the camera",
  async (name) => {
    const found = await opened({
      ...frames,
      [name]: table("image,x,y,z,qx,qy,qz,qw", (i) => `00000${i}.png,${i},0,0,0,0,0,1`),
    });
    expect(found.places).toEqual([undefined, undefined, undefined, undefined]);
  },
);

test.each([
  ["depth_scale_m_per_unit", 0.0001, 0.0001],
  ["depth_scale_meters", 0.00025, 0.00025],
  ["depth_scale_m_per_unit", 0.05, 0.05],
  ["depth_scale_mm_per_unit", 0.01, 1e-5],
  ["depth_scale_mm", 0.1, 1e-4],
  ["depth_shift_m", 0.12, 0.001],
])("%s of %d is in the unit that its name says", async (name, value, unit) => {
  const found = await opened({ ...frames, "meta.json": JSON.stringify({ [name]: value }) });
  expect(found.frames[0].metresPerUnit).toBeCloseTo(unit, 9);
});
