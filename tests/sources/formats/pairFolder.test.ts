import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { type Contents, depthPng, depthValues, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";

// Folders whose recording.json names a pair of images, or whose names and calibration are those of data sets and programs.

const disk = useFolder();
const grey = (value: number, width = WIDTH) =>
  encode({ width, height: HEIGHT, channels: 1, depth: 8, data: new Uint8Array(width * HEIGHT).fill(value) });
const deep = (value: number) =>
  encode({ width: WIDTH, height: HEIGHT, channels: 1, depth: 16, data: new Uint16Array(WIDTH * HEIGHT).fill(value) });
const intrinsics = { fx: 600, fy: 600, cx: 3, cy: 2 };
const said = (more: object = {}) =>
  JSON.stringify({ pair: { left: "ir1/*.png", right: "ir2/*.png", baselineMm: 50 }, fps: 30, intrinsics, ...more });
const pairs = (numbers: readonly number[], from = 0): Contents =>
  Object.fromEntries(
    numbers.flatMap((i) => [
      [`ir1/${i}.png`, grey(from + i)],
      [`ir2/${String(i).padStart(4, "0")}.png`, grey(from + 100 + i)],
    ]),
  );

const open = (contents: Contents) => disk.open(disk.folder(contents));

describe("a folder with a pair of images", () => {
  test("gives both images of each number, the baseline, and depth without a valid pixel", async () => {
    const recording = await open({ ...pairs([2, 10]), "recording.json": said() });
    expect([recording.length, recording.format]).toEqual([2, "pair"]);
    const { depth, pair, metresPerUnit, timestamp } = await recording.read(1);
    expect([pair?.left.data[5], pair?.right.data[5], pair?.baselineM]).toEqual([10, 110, 0.05]);
    expect(pair?.left.shape).toEqual([HEIGHT, WIDTH]);
    expect([depth.data.every((z) => z === 0), metresPerUnit, Math.round(timestamp)]).toEqual([true, 0.0002, 33]);
    expect(recording.warnings).toEqual([expect.stringContaining("it has no depth, only a pair of images")]);
  });

  test("reads depth beside it as ever, and images of 16 bits as they are", async () => {
    const contents = { "depth/1.png": depthPng(depthValues(0)), "ir1/1.png": deep(1023), "ir2/1.png": deep(511) };
    const recording = await open({ ...contents, "recording.json": said({ metresPerUnit: 0.001 }) });
    const { depth, pair } = await recording.read(0);
    expect(depth.data).toEqual(depthValues(0));
    expect([pair?.left.data[0], pair?.right.data[0]]).toEqual([1023, 511]);
  });

  test("leaves out an image without a partner, with a warning", async () => {
    const recording = await open({ ...pairs([1, 2]), "ir1/3.png": grey(3), "recording.json": said() });
    expect(recording.length).toBe(2);
    expect(recording.warnings.join()).toContain("1 of the pair's images have no partner of the same number");
  });

  test("refuses what is no pair, and says why", async () => {
    const refused = (contents: Contents, pair?: object) =>
      expect(open({ ...contents, "recording.json": said(pair && { pair }) })).rejects;
    await refused(pairs([1]), { left: "a", right: "b" }).toThrow("pair must be");
    const lost = { left: "ir1/*.png", right: "other/*.png", baselineMm: 50 };
    await refused(pairs([1]), lost).toThrow('no file is named other/*.png; correct "pair.right"');
    const strangers = { "ir1/1.png": grey(1), "ir2/2.png": grey(1) };
    await refused(strangers).toThrow("no left image has a right one of the same number");
    const uneven = await open({ "ir1/1.png": grey(1), "ir2/1.png": grey(1, WIDTH + 1), "recording.json": said() });
    await expect(uneven.read(0)).rejects.toThrow("a pair needs two images of one size");
  });

  const cams = (cx: number) =>
    `cam0=[600 0 3; 0 600 2; 0 0 1]\ncam1=[600 0 ${cx}; 0 600 2; 0 0 1]\ndoffs=${cx - 3}\nbaseline=193.001\nwidth=7\nheight=5\n`;
  const kitti = (right: number) => `P0: 700 0 3 0 0 700 2 0 0 0 1 0\nP1: 700 0 3 ${right} 0 700 2 0 0 0 1 0\n`;
  const drive = (calib: string, first: number): Contents => ({
    "image_02/data/0000000000.png": grey(first),
    "image_03/data/0000000000.png": grey(first + 1),
    "calib_cam_to_cam.txt": calib,
  });
  const rect = "P_rect_02: 700 0 3 7 0 700 2 0 0 0 1 0\nP_rect_03: 700 0 3 -371 0 700 2 0 0 0 1 0\n";
  test.each([
    ["Middlebury", { "im0.png": grey(1), "im1.png": grey(2), "calib.txt": cams(3) }, 0.193001, 600],
    ["KITTI", { "image_0/000000.png": grey(1), "image_1/000000.png": grey(2), "calib.txt": kitti(-378) }, 0.54, 700],
    ["KITTI, raw", drive(rect, 1), 0.54, 700],
  ])("is known by the names of %s", async (_, contents, baselineM, fx) => {
    const recording = await open(contents);
    const { pair, intrinsics: lens } = await recording.read(0);
    expect([recording.format, pair?.left.data[0], pair?.right.data[0], lens.fx]).toEqual(["pair", 1, 2, fx]);
    expect(pair?.baselineM).toBeCloseTo(baselineM, 6);
  });

  const sensor = (x: number, more = "") =>
    `sensor_type: camera\nT_BS:\n  cols: 4\n  rows: 4\n  data: [0.0, -1.0, 0.0, 0.1,\n         1.0, 0.0, 0.0, ${x},\n         0.0, 0.0, 1.0, 0.0,\n         0.0, 0.0, 0.0, 1.0]\nrate_hz: 20\nresolution: [7, 5]\ncamera_model: pinhole\nintrinsics: [6.0, 6.1, 3.0, 2.0] #fu, fv, cu, cv\ndistortion_model: radial-tangential\ndistortion_coefficients: [-0.1, 0.01, 0.0, 0.0]\n${more}`;
  const euroc: Contents = {
    ...Object.fromEntries([0, 1].map((i) => [`mav0/cam0/data/140363657976355558${4 + 5 * i}.png`, grey(9 + i)])),
    ...Object.fromEntries([0, 1].map((i) => [`mav0/cam1/data/140363657976355558${4 + 5 * i}.png`, grey(29 + i)])),
    "mav0/cam0/sensor.yaml": sensor(0),
    "mav0/cam1/sensor.yaml": sensor(0.11),
  };
  const raw = (size: string, rectified = "4 3") =>
    `S_02: ${size}\nK_02: 6 0 3 0 6 2 0 0 1\nD_02: -0.1 0 0 0 0\nR_rect_02: 1 0 0 0 1 0 0 0 1\nS_rect_02: ${rectified}\nS_03: 7 5\nK_03: 6 0 3 0 6 2 0 0 1\nD_03: -0.1 0 0 0 0\nR_rect_03: 1 0 0 0 1 0 0 0 1\nP_rect_02: 6 0 1 0 0 6 1 0 0 0 1 0\nP_rect_03: 6 0 1 -3.24 0 6 1 0 0 0 1 0\n`;

  test("of EuRoC is rectified by both lenses and their places on the body", async () => {
    const recording = await open(euroc);
    const { pair, intrinsics: lens } = await recording.read(0);
    expect([recording.format, recording.length, pair?.baselineM]).toEqual(["pair", 2, expect.closeTo(0.11, 9)]);
    // Every pixel has a source, and no lens bends.
    expect([pair?.left, pair?.right].map((side) => [...new Set(side?.data)])).toEqual([[9], [29]]);
    expect([lens.distortion, lens.fx === lens.fy, lens.fx > 5]).toEqual([undefined, true, true]);
    expect(recording.facts.find(({ what }) => what === "pair")?.value).toBe(
      "all frames, baseline 110 mm, rectified by the calibration",
    );
  });

  test("of KITTI's images as they were taken is rectified by R_rect and P_rect, others are not", async () => {
    const { pair, intrinsics: lens } = await (await open(drive(raw("7 5"), 5))).read(0);
    expect([pair?.left.shape, lens.width, pair?.right.get(1, 1)]).toEqual([[3, 4], 4, 6]);
    expect(pair?.baselineM).toBeCloseTo(0.54, 9);
    expect((await (await open(drive(raw("1392 512", "7 5"), 5))).read(0)).pair?.left.shape).toEqual([HEIGHT, WIDTH]);
  });

  /** The right camera's text, with another word. */
  const right = (from: string, to: string) => ({ "mav0/cam1/sensor.yaml": sensor(0.11).replace(from, to) });
  test.each<[string, Contents, RegExp]>([
    ["no place on the body", right("T_BS", "T"), /cam1\/sensor\.yaml: it lacks the lens, its resolution or T_BS/],
    ["cameras in the other order", right("0.11", "-0.11"), /exchange them/],
    ["another resolution", right("[7, 5]", "[9, 5]"), /resolution is not that of cam0/],
    ["a model of distortion that is not read", right("radial-tangential", "fov"), /pinhole with fov/],
    ["a lens that no flat image shows", { "mav0/cam0/sensor.yaml": sensor(0).replace("-0.1,", "-9,") }, /sees so wide/],
  ])("of EuRoC with %s is refused", async (_, damage, why) => {
    await expect(open({ ...euroc, ...damage })).rejects.toThrow(why);
  });

  const eye = (more = "") =>
    `  camera_model: pinhole\n  distortion_coeffs: [-0.1, 0.01, 0.0, 0.0]\n  distortion_model: radtan\n  intrinsics: [6.0, 6.1, 3.0, 2.0]\n  resolution: [7, 5]\n${more}`;
  const way = (x: number) =>
    `  T_cn_cnm1:\n  - [1.0, 0.0, 0.0, ${x}]\n  - [0.0, 1.0, 0.0, 0.0]\n  - [0.0, 0.0, 1.0, 0.0]\n  - [0.0, 0.0, 0.0, 1.0]\n`;
  const chain = (x = -0.11) =>
    `cam0:\n${eye()}  rostopic: /cam0/image_raw\ncam1:\n${way(x)}${eye()}  rostopic: /cam1/image_raw\n`;
  const kalibr = (text: string): Contents => ({
    ...Object.fromEntries([4, 9].map((i) => [`cam0/138503020872660750${i}.png`, grey(i)])),
    ...Object.fromEntries([4, 9].map((i) => [`cam1/138503020872660750${i}.png`, grey(20 + i)])),
    "calib-camchain.yaml": text,
  });

  test.each([
    ["radtan", chain()],
    ["equidistant", chain().replaceAll("radtan", "equidistant")],
  ])("of Kalibr is rectified by its chain, %s", async (_, text) => {
    const recording = await open(kalibr(text));
    const { pair, intrinsics: lens } = await recording.read(0);
    expect([recording.format, recording.length, pair?.baselineM]).toEqual(["pair", 2, expect.closeTo(0.11, 9)]);
    expect([pair?.left.data[20], pair?.right.data[20], lens.distortion]).toEqual([4, 24, undefined]);
  });

  test.each<[string, string, RegExp]>([
    [
      "no way between the cameras",
      chain().replace("T_cn_cnm1", "T"),
      /its cam1 lacks the lens, its resolution or T_cn/,
    ],
    ["cameras in the other order", chain(0.11), /exchange them/],
    ["a model that is not read", chain().replace("pinhole", "omni"), /its cam0 has a lens of .* not read, omni/],
    ["a text that is cut short", chain().slice(0, 180), /its cam1 lacks the lens/],
    ["fields in place of a name", chain().replace("model: pinhole", "model:\n    a: 1"), /cam0 has a lens of a/],
  ])("of Kalibr with %s is refused", async (_, text, why) => {
    await expect(open(kalibr(text))).rejects.toThrow(why);
  });

  const camera = (shift: number) =>
    `%YAML:1.0\n---\nimage_width: 7\nimage_height: 5\nprojection_matrix:\n   rows: 3\n   cols: 4\n   dt: d\n   data: [ 6., 0., 3., ${shift}, 0., 6., 2., 0., 0., 0., 1., 0. ]\nlocal_transform:\n   rows: 3\n   cols: 4\n   dt: f\n   data: [ 0., 0., 1., 0., -1., 0., 0., 0., 0., -1., 0., 0. ]\n`;
  const rtabmap = (right = camera(-0.72), left = camera(0)): Contents =>
    Object.fromEntries(
      [3, 5].flatMap((id) => [
        [`map_left/${id}.jpg`, grey(id)],
        [`map_right/${id}.jpg`, grey(10 + id)],
        [`map_calib/${id}_left.yaml`, left],
        [`map_calib/${id}_right.yaml`, right],
      ]),
    );

  test("of RTAB-Map's export of a stereo camera is one by the projections", async () => {
    const recording = await open(rtabmap());
    const { pair, intrinsics: lens } = await recording.read(1);
    expect([recording.format, recording.length, pair?.baselineM]).toEqual(["pair", 2, expect.closeTo(0.12, 9)]);
    expect([pair?.left.data[9], pair?.right.data[9], lens.fx, lens.cx]).toEqual([5, 15, 6, 3]);
  });

  test("of RTAB-Map whose first image is damaged loses that frame", async () => {
    const recording = await open({ ...rtabmap(), "map_left/3.jpg": grey(3).subarray(0, 50) });
    await expect(recording.read(0)).rejects.toThrow("map_left/3.jpg");
    expect((await recording.read(1)).pair?.left.data[0]).toBe(5);
  });

  test.each<[string, Contents, RegExp]>([
    [
      "no projection",
      rtabmap(camera(-0.72).replace("projection_", "")),
      /3_left\.yaml: it or the right camera's lacks/,
    ],
    ["cameras in the other order", rtabmap(camera(0.72)), /the cameras' distance are no positive numbers/],
    ["other images' calibration", rtabmap(undefined, camera(0).replace("_width: 7", "_width: 70")), /it is for 70×5/],
    ["other lenses", rtabmap(camera(-0.72).replace("6., 2.,", "6., 1.,")), /principal points differ/],
  ])("of RTAB-Map with %s is refused", async (_, contents, why) => {
    await expect(open(contents)).rejects.toThrow(why);
  });

  test("of another size than its rectified calibration's is refused, and so is a doffs that is none", async () => {
    const calibrated = (calib: string) => open({ "im0.png": grey(1), "im1.png": grey(2), "calib.txt": calib });
    const refused = (from: string, to: string) => expect(calibrated(cams(3).replace(from, to))).rejects;
    await refused("width=7", "width=70").toThrow("the images are 7×5, and it is for 70×5");
    await refused("doffs=0", "doffs=30").toThrow("its doffs, 30, is not cx of cam1");
    await expect(open(drive(raw("1392 512", "14 10"), 5))).rejects.toThrow("it is for 14×10");
  });

  test("of another size than its calibration's costs its frames", async () => {
    const small = {
      "mav0/cam0/sensor.yaml": sensor(0).replace("[7, 5]", "[7, 4]"),
      "mav0/cam1/sensor.yaml": sensor(0.11).replace("[7, 5]", "[7, 4]"),
    };
    const recording = await open({ ...euroc, ...small });
    await expect(recording.read(0)).rejects.toThrow("its images are 7×5, and its calibration is for 7×4");
  });

  test("tells how far the principal points are apart along the rows; elsewhere they have to be alike", async () => {
    const contents = { "im0.png": grey(1), "im1.png": grey(2), "calib.txt": cams(127.25) };
    expect((await (await open(contents)).read(0)).pair).toMatchObject({ doffsPx: 124.25 });
    const own = said({ pair: { left: "ir1/*.png", right: "ir2/*.png", baselineMm: 50, doffsPx: -3.5 } });
    const described = await open({ ...pairs([1]), "recording.json": own });
    expect((await described.read(0)).pair).toMatchObject({ doffsPx: -3.5, baselineM: 0.05 });
    const down = { ...contents, "calib.txt": cams(3).replace(/2; 0 0 1\]\ndoffs/, "9; 0 0 1]\ndoffs") };
    await expect(open(down)).rejects.toThrow("principal points differ");
    const none = { ...contents, "calib.txt": cams(3).replace("193.001", "-1") };
    await expect(open(none)).rejects.toThrow("calib.txt: its focal lengths and the cameras' distance");
  });
});
