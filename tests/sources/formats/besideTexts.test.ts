import { encode } from "fast-png";
import { expect, test } from "vitest";
import { lensesIn, scaleIn } from "../../../sources/recorded/beside/lens.ts";
import { parseText } from "../../../sources/recorded/beside/parse.ts";
import { timesIn } from "../../../sources/recorded/beside/times.ts";
import { depthPng, depthValues, failure, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { doubles, npyOf } from "../makers/still.ts";
import { K, lens } from "../opening.ts";

// Texts beside depth give lens and unit, and names give times, in the forms that data sets have.

const disk = useFolder();
const { fx, fy, cx, cy } = lens;
const matrix = [K.slice(0, 3), K.slice(3, 6), K.slice(6)];

const rgb = { name: "rgb", fx: 8, fy: 8, cx: 3, cy: 2 };
test.each<[string, string, string]>([
  ["rows", "camera_intrinsic.json", JSON.stringify({ K: matrix, resolution: [HEIGHT, WIDTH] })],
  ["columns (Open3D)", "params.json", JSON.stringify({ intrinsic_matrix: [fx, 0, 0, 0, fy, 0, cx, cy, 1] })],
  ["fields", "intrinsics.json", JSON.stringify({ depth: { fx, fy, ppx: cx, ppy: cy }, color: { fx: 9 } })],
  [
    "nerfstudio",
    "transforms.json",
    JSON.stringify({ fl_x: fx, fl_y: fy, cx: cx + 0.5, cy: cy + 0.5, w: WIDTH, h: HEIGHT, frames: [] }),
  ],
  ["3×3 text", "cam_K.txt", `${fx} 0 ${cx}\n0 ${fy} ${cy}\n0 0 1\n`],
  ["NumPy's print", "K.txt", `[[${fx} 0. ${cx}]\n [0. ${fy} ${cy}]\n [0. 0. 1.]]`],
  [
    "ROS",
    "camera_info.yaml",
    `image_width: 7\nimage_height: 5\ncamera_matrix:\n  rows: 3\n  cols: 3\n  data: [${K.join(", ")}]\n`,
  ],
  [
    "OpenCV",
    "calib.yml",
    `%YAML:1.0\n---\nM1: 5\ncameraMatrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: [ ${K.slice(0, 5)},\n       ${K.slice(5)} ]\n`,
  ],
  ["ORB", "a.yaml", `%YAML:1.0\n# Camera\nCamera.fx: ${fx}\nCamera.fy: ${fy}\nCamera.cx: ${cx}\nCamera.cy: ${cy}\n`],
  [
    "OpenLORIS",
    "sensors.yaml",
    `d400_depth:\n  intrinsics: !!opencv-matrix\n    rows: 1\n    cols: 4\n    data: [ ${fx}, ${cx}, ${fy}, ${cy} ]\n`,
  ],
  [
    "Python's YAML",
    "cam.yaml",
    `camera_matrix:\n- - ${fx}\n  - 0\n  - ${cx}\n- - 0\n  - ${fy}\n  - ${cy}\n- - 0\n  - 0\n  - 1\n`,
  ],
  [
    "OpenCV's XML",
    "calib.xml",
    `<?xml version="1.0"?>\n<opencv_storage>\n<K type_id="opencv-matrix">\n<rows>3</rows>\n<cols>3</cols>\n<dt>d</dt>\n<data>\n${K.join(" ")}</data></K>\n</opencv_storage>\n`,
  ],
  ...([
    ["COLMAP", "sparse/0/cameras.txt", `# Camera list\n1 PINHOLE 7 5 ${fx} ${fy} ${cx + 0.5} ${cy + 0.5}\n`],
    ["a table", "intrinsics.csv", `fx,fy,cx,cy,width,height\n${fx},${fy},${cx},${cy},7,5\n`],
    ["a table of cameras", "camera.csv", `camera,fx,fy,cx,cy\nrgb,8,8,3,2\ndepth,${fx},${fy},${cx},${cy}\n`],
    ["RealSense", "a_metadata.csv", `Stream,Depth\nResolution x,7\nFx,${fx}\nFy,${fy}\nPPx,${cx}\nPPy,${cy}\n`],
    ["names and numbers", "camera.txt", `fx ${fx}\nfy ${fy}\ncx ${cx}\ncy ${cy}\n`],
    ["lists in JSON", "K.txt", JSON.stringify(matrix)],
    ["KITTI", "calib.txt", `P2: ${fx} 0 ${cx} 0 0 ${fy} ${cy} 0 0 0 1 0\n`],
    ["focal length and centre", "a.json", JSON.stringify({ focalLength: [fx, fy], principalPoint: { x: cx, y: cy } })],
    ["a list of cameras", "a.json", JSON.stringify({ cameras: [rgb, { name: "depth", ...lens }] })],
    [
      "fields named by camera",
      "s.txt",
      `fx_color = 8\nfy_color = 8\nmx_color = 3\nmy_color = 2\nfx_depth = ${fx}\nfy_depth = ${fy}\nmx_depth = ${cx}\nmy_depth = ${cy}\n`,
    ],
    ["named matrices", "a.json", JSON.stringify({ rgb_intrinsics: [8, 0, 3, 0, 8, 2, 0, 0, 1], depth_intrinsics: K })],
    ["TOML", "camera.toml", `[depth]\nfx = ${fx}\nfy = ${fy}\ncx = ${cx}\ncy = ${cy}\n`],
    ["the size behind it", "intrinsics.txt", `${fx} ${fy} ${cx} ${cy} 7 5\n`],
    ["the size in a line of its own", "camera_params.txt", `7 5\n${fx} ${fy} ${cx} ${cy}\n`],
    ["two folders down", "meta/camera/intrinsics.json", JSON.stringify(lens)],
  ] as [string, string, string][]),
  ["a line with distortion", "calib.txt", `${fx} ${fy} ${cx} ${cy} 0 0 0 0`],
  ["ARKitScenes", "a.pincam", `7 5 ${fx} ${fy} ${cx} ${cy}`],
])("the lens is found in the form of %s", async (_, name, text) => {
  const recording = await disk.open(disk.folder({ "depth/0.png": depthPng(depthValues(0)), [name]: text }));
  expect((await recording.read(0)).intrinsics).toMatchObject({ ...lens, width: WIDTH, height: HEIGHT });
  expect(recording.facts.find(({ what }) => what === "intrinsics")?.from).toBe(`file ${name}`);
});

test.each([
  ["1 OPENCV_FISHEYE 7 5 9 9 3 2 .1 .2 .3 .4", "fisheye", [0.1, 0.2, 0.3, 0.4]],
  ["1 OPENCV_FISHEYE 7 5 9 9 3 2 0 0 0 0", "fisheye", [0, 0, 0, 0]],
  ["intrinsics: [9, 9, 3, 2]\ndistortion_model: equidistant\ndistortion_coeffs: [0, 0, 0, 0]", "fisheye", [0, 0, 0, 0]],
  ["1 SIMPLE_RADIAL 7 5 9 3 2 .1", undefined, [0.1, 0, 0, 0, 0]],
  [
    "intrinsics: [9, 9, 3, 2]\ndistortion_model: equidistant\ndistortion_coeffs: [.1, .2, .3, .4]",
    "fisheye",
    [0.1, 0.2, 0.3, 0.4],
  ],
])("the distortion in %j has the model %s", (text, distortionModel, distortion) => {
  expect(lensesIn(parseText(text), "a")[0].lens).toMatchObject({
    fx: 9,
    distortion,
    ...(distortionModel && { distortionModel }),
  });
});

test.each(["f", "fx", "size", "unit", "t_00"])(
  "a text whose field %s holds fields gives no lens and no unit",
  (name) => {
    const said = parseText(`fx: 9\n${name}:\n  b:\n    c: 1\n`);
    expect([lensesIn(said, "a"), scaleIn(said)]).toEqual([[], undefined]);
  },
);

test("the unit may be the only number of a text that is named after it", () => {
  const scales = ["depth_scale.txt", "a.txt"].map((name) => scaleIn(parseText("0.00025"), name));
  expect(scales).toEqual([0.00025, undefined]);
});

test("a lens may be a NumPy array, or lie in the folder around the one that is opened (Replica)", async () => {
  const array = npyOf("<f8", [3, 3], doubles(...K));
  const one = await disk.open(disk.folder({ "depth/0.png": depthPng(depthValues(0)), "intrinsics.npy": array }));
  expect((await one.read(0)).intrinsics).toMatchObject(lens);
  const scene = { "room0/results/depth000000.png": depthPng(depthValues(0)) };
  const camera = JSON.stringify({ camera: { ...lens, w: WIDTH, h: HEIGHT, scale: 6553.5 } });
  const other = await disk.open(`${disk.folder({ ...scene, "cam_params.json": camera })}/room0`);
  expect(await other.read(0)).toMatchObject({ metresPerUnit: 1 / 6553.5, intrinsics: lens });
  expect(other.warnings.join()).toContain("that of the folder around it, by file cam_params.json");
});

test("VOID is in 1/256 m, and depth in the three bytes of a colour PNG (CARLA) is read", async () => {
  const image = depthPng(depthValues(0));
  const folders = { "ground_truth/1.png": image, "sparse_depth/1.png": image, "validity_map/1.png": image };
  const found = await disk.open(disk.folder(folders));
  expect((await found.read(0)).metresPerUnit).toBe(1 / 256);
  const mm = Array.from({ length: 64 * 48 }, (_, i) => 800 + 25 * (i % 64) + 3 * Math.floor(i / 64));
  const bytes = mm.flatMap((one) => {
    const code = Math.round((one / 1e6) * (2 ** 24 - 1));
    return [code & 255, (code >> 8) & 255, code >> 16];
  });
  const png = encode({ width: 64, height: 48, channels: 3, depth: 8, data: Uint8Array.from(bytes) });
  const coded = await disk.open(disk.folder({ "depth/000000.png": png }, "carla"));
  expect([...(await coded.read(0)).depth.data]).toEqual(mm);
  expect(await failure(disk.folder({ "depth/000000.png": png }))).toContain("packed into the bytes of colours (RGB)");
  // A file beside depth tells the program; a damaged one, or one of something else, tells none.
  const made = async (name: string, text: string) =>
    (await (await disk.open(disk.folder({ "depth/000000.png": png, [name]: text }))).read(0)).depth.data;
  const sensors = JSON.stringify([{ id: "front", type: "sensor.camera.depth", fov: 90 }]);
  expect([...(await made("sensors.json", sensors))]).toEqual(mm);
  const told = await disk.open(disk.folder({ "depth/000000.png": png, "sensors.json": sensors }));
  expect(told.facts.find(({ what }) => what === "unit")?.from).toBe("file sensors.json");
  expect(told.warnings.join()).not.toContain("not read");
  expect([...(await made("depth/sensor.txt", "blueprint=sensor.camera.depth"))]).toEqual(mm);
  const pickle = "\x80\x02}q\x00(X\x06camMatX\x08objTransX\x0chandJoints3D";
  const low = mm.map((one) => Math.round((one / 1e6) * (2 ** 24 - 1)) & 0xffff);
  const unpickled = Uint16Array.from(low, (code) => Math.round(code * 0.12498664727900177));
  expect(await made("meta/000000.pkl", pickle)).toEqual(unpickled);
  for (const [name, text] of [
    ["sensors.json", sensors.replace("depth", "rgb")],
    ["notes.txt", "These images are of sensor.camera.depth, as they came"],
    ["README.txt", "sensor: sensor.camera.depth"],
    ["sensors.json", ""],
    ["meta/000000.pkl", pickle.slice(0, 14)],
    ["elsewhere/deep/meta/000000.pkl", pickle],
  ])
    await expect(made(name, text)).rejects.toThrow("packed into the bytes of colours (RGB)");
  // A picture, even a smooth one, is no packed depth.
  const data = Uint8Array.from(mm.flatMap((one) => [one >> 4, 9, 9]));
  const picture = encode({ width: 64, height: 48, channels: 3, depth: 8, data });
  expect(await failure(disk.folder({ "depth/000000.png": picture }))).toContain("8-bit RGB PNG");
});

test("OpenLORIS has millimetres, colour's lens for depth that is aligned to it, times and poses, whatever its depth.txt is", async () => {
  const of = (name: string, scale: number) =>
    `${name}:\n  intrinsics: !!opencv-matrix\n    rows: 1\n    cols: 4\n    data: [ ${scale * fx}, ${cx}, ${scale * fy}, ${cy} ]\n`;
  const names = ["1560000032.110000", "1560000032.143000"];
  const lists = (folder: string) => names.map((name) => `${name} ${folder}/${name}.png\n`).join("");
  const images = (folder: string) =>
    Object.fromEntries(names.map((name, i) => [`${folder}/${name}.png`, depthPng(depthValues(i))]));
  const contents = {
    ...{ "depth.txt": lists("depth"), "aligned_depth.txt": lists("aligned_depth"), "color.txt": lists("color") },
    ...{ ...images("depth"), ...images("aligned_depth"), "trans_matrix.yaml": "a: 1\n" },
    "groundtruth.txt": names.map((name, i) => `${name} ${i} 0 0 0 0 0 1\n`).join(""),
    "sensors.yaml": of("d400_depth", 2) + of("d400_color", 1),
  };
  const recording = await disk.open(disk.folder(contents));
  const frame = await recording.read(1);
  expect(frame).toMatchObject({ metresPerUnit: 0.001, intrinsics: lens });
  expect([frame.timestamp - (await recording.read(0)).timestamp, (await recording.pose(1))?.[3]]).toEqual([33, 1]);
  expect(recording.facts.filter(({ from }) => from === "assumed").map(({ what }) => what)).toEqual(["invalid"]);
});

test("a TUM list with a calibration beside it has that lens and unit, not the benchmark's", async () => {
  const contents = { "depth.txt": "1.5 depth/a.png\n", "rgb.txt": "", "depth/a.png": depthPng(depthValues(0)) };
  const text = `Camera.fx: ${fx}\nCamera.fy: ${fy}\nCamera.cx: ${cx}\nCamera.cy: ${cy}\nDepthMapFactor: 1000.0\n`;
  const recording = await disk.open(disk.folder({ ...contents, "camera.yaml": text }));
  expect(await recording.read(0)).toMatchObject({ metresPerUnit: 0.001, intrinsics: lens });
  expect(recording.format).toBe("tum");
});

test.each([
  ['{ "1": { "depth_scale": 0.1 } }', 0.0001],
  ['{ "depth_scale": 0.00025 }', 0.00025],
  ['{ "camera": { "scale": 6553.5 } }', 1 / 6553.5],
  ["DepthMapFactor: 5000.0", 1 / 5000],
  ['{ "depth_scale": "0.00025" }', 0.00025],
  ['{ "depth_units": 0.0001 }', 0.0001],
  ['{ "depth_unit": "mm" }', 0.001],
  ['{ "units": "centimeters" }', 0.01],
  ['{ "metersPerUnit": 0.0005 }', 0.0005],
  ["depthShift = 4000", 1 / 4000],
  ["name,value\ndepth_units_per_meter,4000\n", 1 / 4000],
  ["depth_scaling: 5000", 1 / 5000],
  ['{ "units": "m", "unit_count": 7 }', undefined],
  ['{ "scale": 1.5, "aabb_scale": 16 }', undefined],
])("the unit in %s is %s", (text, unit) => {
  expect(scaleIn(parseText(text))).toBe(unit);
});

test.each<[string, readonly string[], readonly number[] | undefined]>([
  ["RealSense's ms", ["_Depth_1656497951001.188.png", "_Depth_1656497951101.188.png"], [0, 100]],
  [
    "ms",
    ["depth_1700000000033.png", "depth_1700000000133.png", "depth_1700000000233.png", "depth_1700000000733.png"],
    [0, 100, 200, 700],
  ],
  ["µs", ["1700000000033000.png", "1700000000066000.png"], [0, 33]],
  ["ns", ["1700000000033000000.png", "1700000000066000000.png"], [0, 33]],
  ["seconds", ["1305031102.1604.png", "1305031102.1944.png"], [0, 34]],
  ["dates", ["20240131_120000_123.png", "20240131_120001_223.png"], [0, 1100]],
  ["seconds and nanoseconds", ["1700000000_033000000.png", "1700000000_066000000.png"], [0, 33]],
  ["dates with spaces", ["2024-01-31 12-00-00 033.png", "2024-01-31 12-00-00 066.png"], [0, 33]],
  ["times of day", ["12-00-00-033000.png", "12-00-00-066000.png"], [0, 33]],
  ["counters", ["frame-000001.png", "frame-000002.png"], undefined],
  ["equal times", ["1700000000033.png", "1700000000033.png"], undefined],
])("names with %s tell times", (_, names, expected) => {
  const times = timesIn(names);
  expect(times?.map((time) => Math.round(time - times[0]))).toEqual(expected);
});

test.each([
  "",
  "{",
  "[[[[",
  "a:\n".repeat(5000),
  `${" ".repeat(1 << 17)}x`,
  `k: [${"1,".repeat(1 << 16)}`,
  `{"__proto__":{"fx":9}}`,
  JSON.stringify(Array(1 << 13).fill({ a: { b: {} } })),
  "9 ".repeat(1 << 16),
  `${"x.y.z.".repeat(10)}: 1\n`,
  "K: [NaN, 1, 2, 3]",
])("hostile text %# gives no lens and no unit", (text) => {
  expect([lensesIn(parseText(text), "intrinsics"), scaleIn(parseText(text))]).toEqual([[], undefined]);
});
