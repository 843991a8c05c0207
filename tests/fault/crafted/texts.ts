import { depthPng, depthValues, zipOf } from "../../sources/fixtures.ts";
import { type Crafted, MiB, opened, refused } from "./crafted.ts";

// Texts beside depth that take long to understand, or contain bytes that end lines in one place and not in another. The recording opens.

const depth = { "depth/0.png": depthPng(depthValues(0)) };
const beside = (name: string, text: () => string | Uint8Array, more: Partial<Crafted> = {}) =>
  opened(`${name.replace(/\W/g, "_")}.zip`, more, () => zipOf({ ...depth, [name]: text() }));
const filled = (part: string, bytes = MiB) => part.repeat(Math.ceil(bytes / part.length));

/** `count` lines or fields, in one text. */
const lines = (count: number, make: (i: number) => string, between = "") =>
  Array.from({ length: count }, (_, i) => make(i)).join(between);
const POSE = '"cam_R_w2c":[1,0,0,0,1,0,0,0,1],"cam_t_w2c":[0,0,0]';

/** The layouts of data sets, with lists that are longer than their images by far. */
const sets: readonly Crafted[] = [
  opened("bop.zip", () =>
    zipOf({
      "000001/depth/000000.png": depthPng(depthValues(0)),
      "000001/scene_camera.json": `{${lines(28_000, (i) => `"${i}":{"cam_K":[600,0,3,0,600,2,0,0,1],"depth_scale":1,${POSE}}`, ",")}}`,
      "000001/scene_gt.json": `{"0":[${lines(60_000, (i) => `{"obj_id":${i},"cam_t_m2c":[0,0,0]}`, ",")}]}`,
    }),
  ),
  opened("bopDigits.zip", () =>
    zipOf({
      "000001/depth/000000.png": depthPng(depthValues(0)),
      "000001/scene_camera.json": `{"${filled("0")}":{"cam_K":[${filled("1")}],"depth_scale":1e999,${POSE}}}`,
    }),
  ),
  opened("replica.zip", () =>
    zipOf({
      "cam_params.json": `{"camera":{"w":7,"h":5,"fx":1e308,"fy":-1,"cx":${filled("9")},"cy":2,"scale":6553.5}}`,
      "room0/results/depth000000.png": depthPng(depthValues(0)),
      "room0/traj.txt": lines(100_000, (i) => `1 0 0 ${i} 0 1 0 0 0 0 1 0 0 0 0 1\n`),
    }),
  ),
  opened("arkit.zip", () =>
    zipOf({
      "lowres_depth/41_1.000.png": depthPng(depthValues(0)),
      "lowres_wide.traj": lines(60_000, (i) => `${i / 60} 0 0 0 ${i} 0 0\n`),
      ...Object.fromEntries(
        Array.from({ length: 2000 }, (_, i) => [`lowres_wide_intrinsics/41_${i}.pincam`, "7 5 6 6 3 2"]),
      ),
    }),
  ),
  opened("arkitTimes.zip", () =>
    zipOf({
      ...Object.fromEntries(
        Array.from({ length: 1500 }, (_, i) => [`lowres_depth/41_${i}.png`, depthPng(depthValues(0))]),
      ),
      "lowres_wide.traj": lines(120_000, () => "1e308 0 0 0 1e308 0 0\n"),
    }),
  ),
];

/** Names that are mostly numbers, in folders of frames. */
const counted = (folder: (i: number) => string) => () =>
  zipOf(
    Object.fromEntries(
      Array.from({ length: 120 }, (_, i) => [`${folder(i)}${filled("1_", 3900)}${i}.png`, depthPng(depthValues(0))]),
    ),
  );

/** As many texts as are looked into. */
const many = (text: string) => {
  const name = (i: number) => `${String.fromCharCode(97 + (i % 26)).repeat(1 + Math.floor(i / 26))}_x.yaml`;
  return zipOf({ ...depth, ...Object.fromEntries(Array.from({ length: 48 }, (_, i) => [name(i), text])) });
};

/** Texts of a megabyte, and of as much as an archive may have. */
export const texts: readonly Crafted[] = [
  opened(
    "numberedNames.zip",
    counted(() => ""),
  ),
  refused(
    "numberedInFrames.zip",
    counted((i) => `frame_${i >> 1}/k`),
  ),
  beside("0_cam.txt", () => `extrinsic${filled(" ")}`),
  beside("1_cam.txt", () => `extrinsic ${filled("1 ")}`),
  ...sets,
  beside("rows.xml", () => `<?xml version="1.0"?>${filled("<a><rows>")}`),
  beside("data.xml", () => `<?xml version="1.0"?>${filled("<a><rows>1</rows><data>")}`),
  beside("words.xml", () => `<?xml version="1.0"?><a><rows>1</rows><data>${filled("1 ", 4 * MiB - 100)}`),
  beside("digits.txt", () => `a: ${filled("1")}x`),
  beside("digits_in_lines.txt", () => filled(`a: ${"1".repeat(9000)}x\n`, 4 * MiB - 9010)),
  beside("zeros.txt", () => `${filled("0")}1`),
  beside("hashes.txt", () => filled(" #", MiB).concat("\r")),
  beside("hashes_in_lines.yaml", () => filled(`a${" #".repeat(4000)}\u2028\n`, 4 * MiB - 9000)),
  beside("blanks.yaml", () => filled(`a${" ".repeat(9000)}b\n`, 4 * MiB - 9010)),
  beside("brackets.yaml", () => filled("[\n", 4 * MiB - 10)),
  beside("dashes.yaml", () => filled("- ", 4 * MiB - 10)),
  beside("sections.toml", () => filled("[a.b]\n", 4 * MiB - 10)),
  beside("paths.yaml", () => filled(`${"a.".repeat(39)}b: 1\n`, 4 * MiB - 100)),
  beside("carriage.log", () => filled("saving 10%\r", 4 * MiB - 20)),
  beside("lines_of_unicode.csv", () => filled("a: 1\u2028\u2029", MiB)),
  beside("nul.cfg", () => filled("a: \0\r\0\n", MiB)),
  beside("numbers.traj", () => filled("1 ", 4 * MiB - 10)),
  beside("ones.traj", () => filled("1\n", 4 * MiB - 10)),
  beside("keys.json", () => `{${Array.from({ length: 60_000 }, (_, i) => `"f${i}":{"fx":1}`).join(",")}}`),
  beside("field.json", () => `{"fx":{${Array.from({ length: 200_000 }, (_, i) => `"${i}":1`).join(",")}}}`),
  opened("many.zip", () => many(filled(`a${" ".repeat(9000)}b\n`))),
  opened("hashLines.zip", () => many(filled("#\n", 2 ** 15))),
];
