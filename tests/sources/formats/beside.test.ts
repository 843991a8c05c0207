import { describe, expect, test } from "vitest";
import type { OpenOptions } from "../../../sources/index.ts";
import { type Contents, colorPng, depthValues, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { doubles, npyOf } from "../makers/still.ts";
import { depths, K, lens, many, opened as openedIn, placeAt } from "../opening.ts";

// What is read from the files beside depth.

const disk = useFolder();
const { fx, fy, cx, cy } = lens;
/** The matrix of a place on the x axis, as a list of rows. */
const nested = (x: number) => [0, 4, 8, 12].map((row) => placeAt(x).slice(row, row + 4));
const opened = (contents: Contents, options?: OpenOptions) => openedIn(disk, contents, options);

describe("a folder of", () => {
  test("BOP has unit, lens, poses and colour from its files", async () => {
    const still = { cam_K: K, depth_scale: 0.1, cam_R_w2c: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
    const cameras = { ...[0, 1, 2].map((i) => ({ ...still, cam_t_w2c: [100 * i, 0, 0] })) };
    const found = await opened({
      ...depths(3, (i) => `000001/depth/00000${i}.png`),
      ...many(3, (i) => [`000001/rgb/00000${i}.png`, colorPng(i)]),
      "000001/scene_camera.json": JSON.stringify(cameras),
    });
    expect(found.frames[2]).toMatchObject({ metresPerUnit: 0.0001, intrinsics: lens });
    expect(found.places[2]).toEqual([-0.2, 0, 0]);
    expect(found.frames[2].color?.data[0]).toBe(2);
    expect(["unit", "intrinsics"].map(found.from)).toEqual(Array(2).fill("file scene_camera.json"));
  });

  test("ScanNet's export has poses where tracking went on, and colour of another size by its lens", async () => {
    const lost = "-inf -inf -inf -inf\n".repeat(4);
    const at = (f: number, x: number, y: number) => `${f} 0 ${x} 0\n0 ${f} ${y} 0\n0 0 1 0\n0 0 0 1\n`;
    const { frames, places, from } = await opened({
      ...depths(3, (i) => `depth/${i}.png`),
      ...many(3, (i) => [`color/${i}.png`, colorPng(i, 3, 16, 10)]),
      ...many(3, (i) => [`pose/${i}.txt`, i === 1 ? lost : `1 0 0 ${i}\n0 1 0 0\n0 0 1 0\n0 0 0 1\n`]),
      "intrinsic/intrinsic_depth.txt": at(9, 3, 2),
      "intrinsic/intrinsic_color.txt": at(18, 8, 5),
      "intrinsic/extrinsic_depth.txt": at(1, 0, 0),
    });
    expect(places).toEqual([[0, 0, 0], undefined, [2, 0, 0]]);
    expect(frames[0].intrinsics).toMatchObject({ fx: 9, cx: 3 });
    expect(from("unit")).toBe("ScanNet default");
    // The pixel at depth's principal point has the colour of the pixel at the colour camera's principal point.
    expect(frames[0].color?.get(2, 3, 0)).toBe((3 * 3 * (5 * 16 + 8)) & 255);
  });

  test("ARKitScenes has lowres_depth for depth, times from names, and poses from its .traj", async () => {
    const times = [305.377, 305.477, 305.578, 305.977, 306.077];
    const names = times.map((time) => `41069021_${time.toFixed(3)}`);
    const named = (folder: string, image: Uint8Array) => many(5, (i) => [`${folder}/${names[i]}.png`, image]);
    const found = await opened(
      {
        ...depths(5, (i) => `lowres_depth/${names[i]}.png`),
        ...named("confidence", colorPng(2)),
        ...named("lowres_wide", colorPng(7)),
        ...many(5, (i) => [`lowres_wide_intrinsics/${names[i]}.pincam`, `7 5 ${fx} ${fy} ${cx} ${cy}`]),
        "lowres_wide.traj": times.map((time, i) => `${time} 0 0 0 ${i} 0 0\n`).join(""),
      },
      { minConfidence: 50 },
    );
    expect(found.frames.map(({ timestamp }) => Math.round(timestamp - 305_377))).toEqual([0, 100, 201, 600, 700]);
    expect(found.places[4]).toEqual([-4, 0, 0]);
    expect(found.frames[0].color?.data[0]).toBe(7);
    expect(found.frames[0]).toMatchObject({ intrinsics: lens });
    const from = ["unit", "fps", "intrinsics"].map(found.from).join(", ");
    expect(from).toBe("ARKitScenes default, files, file lowres_wide_intrinsics");
    // The confidence of pixel i is 2 + 9 i, red of an image of three channels.
    const kept = depthValues(0).map((value, i) => (((2 + 9 * i) & 255) < 50 ? 0 : value));
    expect(found.frames[0].depth.data).toEqual(kept);
  });

  test("Replica has the camera of the folder around it, and a pose a line", async () => {
    const found = await opened({
      ...depths(2, (i) => `room0/results/depth00000${i}.png`),
      ...many(2, (i) => [`room0/results/frame00000${i}.png`, colorPng(i + 1)]),
      "room0/traj.txt": [0, 1].map((i) => `1 0 0 ${i} 0 1 0 0 0 0 1 0 0 0 0 1\n`).join(""),
      "cam_params.json": JSON.stringify({ camera: { w: WIDTH, h: HEIGHT, ...lens, scale: 6553.5 } }),
    });
    expect(found.frames[1]).toMatchObject({ metresPerUnit: 1 / 6553.5, intrinsics: lens });
    expect(found.places[1]).toEqual([1, 0, 0]);
    expect(found.frames[1].color?.data[0]).toBe(2);
  });

  const paths = (i: number) => ({ file_path: `images/${i}.jpg`, depth_file_path: `depth/${i}.png` });
  const transforms = [0, 1].map((i) => ({ ...paths(i), transform_matrix: nested(i) }));
  const numbered = (i: number) => Object.fromEntries(placeAt(i).map((value, at) => [`t_${at >> 2}${at & 3}`, value]));
  test.each([
    ["nerfstudio", { "transforms.json": JSON.stringify({ frames: transforms }) }],
    ["Polycam", many(2, (i) => [`cameras/${i}.json`, JSON.stringify({ ...lens, ...numbered(i) })])],
  ])(
    "%s has millimetres, and poses whose camera looks along -z, turned to look along z",
    async (name, texts: Contents) => {
      const path = disk.folder({ ...depths(2, (i) => `depth/${i}.png`), ...texts });
      const recording = await disk.open(path);
      expect(await recording.pose(1)).toEqual([1, 0, 0, 1, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]);
      expect(recording.facts.find(({ what }) => what === "unit")?.from).toBe(`${name} default`);
    },
  );

  const located = (i: number) => ({ position: { x: i, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } });
  test.each<[string, Contents]>([
    ["arrays, one a frame", many(2, (i) => [`pose/${i}.npy`, npyOf("<f8", [4, 4], doubles(...placeAt(i)))])],
    ["one array", { "poses.npy": npyOf("<f8", [2, 4, 4], doubles(...placeAt(0), ...placeAt(1))) }],
    ["a list with frames for times", { "trajectory.txt": "0 0 0 0 0 0 0 1\n1 1 0 0 0 0 0 1\n" }],
    ["a table with names", { "poses.csv": "frame,qw,qx,qy,qz,tx,ty,tz\n0,1,0,0,0,0,0,0\n1,1,0,0,0,1,0,0\n" }],
    ["a list of matrices in JSON", { "poses.json": JSON.stringify([0, 1].map(nested)) }],
    ["matrices under the frames' numbers", { "poses.json": JSON.stringify({ "0": nested(0), "1": nested(1) }) }],
    ["camera_to_world", many(2, (i) => [`pose/${i}.json`, JSON.stringify({ camera_to_world: nested(i) })])],
    ["position and orientation", many(2, (i) => [`pose/${i}.json`, JSON.stringify(located(i))])],
  ])("images has poses as %s", async (_, texts) => {
    const { places } = await opened({ ...depths(2, (i) => `depth/${i}.png`), ...texts });
    expect(places).toEqual([0, 1].map((x) => [x, 0, 0]));
  });

  test.each([
    ["NYU", (i: number) => `sync_depth_0004${i}.png`, (i: number) => `rgb_0004${i}.png`],
    ["RGB-D Scenes", (i: number) => `img_${i}_depth.png`, (i: number) => `img_${i}.png`],
  ])("%s has colour in the same folder, and names what is not used", async (_, depthName, colorName) => {
    const colors = many(2, (i) => [colorName(i), colorPng(i + 3)]);
    const { frames, told } = await opened({ ...depths(2, depthName), ...colors, "labels/0.png": colorPng(0) });
    expect(frames.map(({ color }) => color?.data[0])).toEqual([3, 4]);
    expect(told).toContain("beside depth lie labels/, which are not read");
  });

  test("images in depth's own folder that nothing is read from are named as a series; a single one is none", async () => {
    const others = many(2, (i) => [`ir_000${i}.png`, colorPng(i)]);
    const { told } = await opened({
      ...depths(2, (i) => `depth_000${i}.png`),
      ...others,
      ...many(2, (i) => [`left_${i}.ppm`, "P6"]),
      "preview.png": colorPng(0),
    });
    expect(told).toContain("beside depth lie ir_*.png, left_*.ppm, which are not read");
  });

  test.each(["frame_000", "cam/000"])("frames, each in a folder of its own (%s1/), has poses by names", async (own) => {
    for (const image of ["rgb", "depth"]) {
      const frames = [0, 1, 2].map((i) => ({ file_path: `${own}${i}/${image}.png`, transform_matrix: nested(i) }));
      const { places } = await opened({
        ...depths(3, (i) => `${own}${i}/depth.png`),
        ...many(3, (i) => [`${own}${i}/rgb.png`, colorPng(i)]),
        "transforms.json": JSON.stringify({ frames }),
      });
      expect(places).toEqual([0, 1, 2].map((x) => [x, 0, 0]));
    }
  });

  test("a rig has no warning of the other cameras' images", async () => {
    for (const sides of [
      ["left", "right"],
      ["front", "top"],
    ]) {
      const images = sides.map((side) => ({
        ...depths(3, (i) => `${side}_depth_${i}.png`),
        ...many(3, (i) => [`${side}_color_${i}.png`, colorPng(i)]),
        ...many(2, (i) => [`${side}_ir_${i}.png`, colorPng(i)]),
      }));
      const { told } = await opened({ ...images[0], ...images[1] }, { topic: `${sides[0]}*` });
      expect(told).not.toContain(`${sides[1]}_depth`);
      expect(told).toContain(`${sides[0]}_ir_*.png`);
    }
  });

  test("a series of images that its bits leave out of depth is named once", async () => {
    const { told } = await opened({
      ...depths(2, (i) => `depth_${i}.png`),
      ...many(2, (i) => [`depth_${i}_vis.png`, colorPng(i)]),
      ...many(2, (i) => [`color_${i}.png`, colorPng(i)]),
    });
    expect(told).toContain("2 PNGs are not 16-bit greyscale and so not depth: left out (depth_0_vis.png");
    expect(told).not.toContain("which are not read");
  });

  test("a text that another warning says is not used is not named again", async () => {
    const texts = { "intrinsics.json": '{"K": 3}', "notes.json": '{"K": 3}', "a.txt": "1 2" };
    const { told } = await opened({ ...depths(2, (i) => `depth_${i}.png`), ...texts });
    expect(told).toContain("intrinsics.json: it has no intrinsics");
    expect(told).toContain("beside depth lie a.txt, which are not read");
  });
});

test("a matrix with a scale, a mirror or without a turn is no pose, and the frame is warned about", async () => {
  const matrices = {
    "1": "2 0 0 1 0 2 0 0 0 0 2 0 0 0 0 1",
    "2": "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    "3": "1 0 0 3 0 1 0 0 0 0 -1 0 0 0 0 1",
    "4": "1.005 0 0 4 0 1 0 0 0 0 1 0 0 0 0 1",
  };
  const recording = await disk.open(
    disk.folder({
      ...depths(5, (i) => `frame-00000${i}.depth.png`),
      "frame-000000.pose.txt": "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1",
      ...Object.fromEntries(Object.entries(matrices).map(([i, text]) => [`frame-00000${i}.pose.txt`, text])),
    }),
  );
  const places = [];
  for (let i = 0; i < 5; i++) places.push((await recording.read(i)).pose?.[3]);
  expect(places).toEqual([0, undefined, undefined, undefined, 4]);
  const why = "the pose of frame 1 is no motion of a camera: the axes of its matrix are 2, 2, 2 long";
  expect(recording.warnings.join()).toContain(why);
  await expect(recording.pose(1)).rejects.toThrow(why);
});
