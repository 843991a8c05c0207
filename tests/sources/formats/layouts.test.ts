import { join } from "node:path";
import { encode } from "fast-png";
import { describe, expect, test, vi } from "vitest";
import { tellRecording } from "../../../cli/recordingInfo.ts";
import { planBatch } from "../../../run/batch/plan.ts";
import { givenBy } from "../../../sources/files/dropped.ts";
import { type DepthFrame, openRecording, type Recording, SeveralTopicsError } from "../../../sources/index.ts";
import { openHere } from "../../../sources/recorded/openHere.ts";
import { PLAIN } from "../../batch/makers.ts";
import { type Contents, colorPng, depthPng, useFolder, zipOf } from "../fixtures.ts";
import { littleEndian } from "../makers/bytes.ts";
import { floats, npyOf, tiffOf } from "../makers/still.ts";
import { matrixOf } from "../opening.ts";

// Which files are one recording: layouts of files, each opened by the library, told by `info`, planned by `batch` (as --dry-run lists it),
// and opened from the files that a page is given, with the same result.

const disk = useFolder();
const [width, height, count] = [12, 9, 4];
const size = { width, height };
const slope = (k: number) => Uint16Array.from({ length: width * height }, (_, i) => 900 + 7 * (i % width) + 10 * k);
const flat = (k: number) => new Uint16Array(width * height).fill(30_000 + k);
/** A file of each ending; `values` are whole millimetres. */
const ENDINGS: Readonly<Record<string, (values: Uint16Array) => Uint8Array>> = {
  png: (values) => depthPng(values, width, height),
  pgm: (values) => {
    const bigEndian = littleEndian(values).map((_, i, all) => all[i ^ 1]);
    return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n65535\n`), bigEndian]);
  },
  tiff: (values) => tiffOf({ ...size, values: floats([...values].map((mm) => mm / 1000)), bits: 32 }),
  npy: (values) => npyOf("<u2", [height, width], littleEndian(values)),
};
const color = (k: number) => colorPng(40 * k, 3, width, height);

/** Names with "#" for a frame's number: of depth, and of what lies beside it, each 16-bit values of the ending, or colour ("rgb:…"). */
type Layout = readonly [depth: string, beside: readonly string[]];
const SAME: readonly Layout[] = [
  ["depth_000#", ["ir_000#", "rgb:color_000#"]],
  ["000#_depth", ["000#_ir", "rgb:000#_rgb"]],
  ["depth/000#", ["ir/000#", "rgb:rgb/000#"]],
  ["depth_#", ["label_#"]],
  ["depth_#", ["instance_#", "semantic_#"]],
  ["depth_#", ["confidence_#"]],
  ["000#", ["000#_ir"]],
  ["000#", ["000#_filled"]],
  ["depth/000#", ["depth_filled/000#"]],
  ["depth0/data/000#", ["rgb:cam0/data/000#"]],
  ["frame_000#/depth", ["frame_000#/ir", "rgb:frame_000#/color"]],
  ["aligned_depth_to_color_00#", ["depth_00#", "infrared_00#"]],
  ["scene/depthMap_00#", ["scene/normals_00#"]],
  ["front_depth/#", ["front_mask/#"]],
];
const filesOf = ([depth, beside]: Layout, ending: string): Contents => {
  const contents: Contents = {};
  for (let k = 0; k < count; k++) {
    const named = (name: string) => name.replace("#", String(k));
    contents[`${named(depth)}.${ending}`] = ENDINGS[ending](slope(k));
    for (const name of beside)
      if (name.startsWith("rgb:")) contents[`${named(name.slice(4))}.png`] = color(k);
      else contents[`${named(name)}.${ending}`] = ENDINGS[ending](flat(k));
  }
  return contents;
};

const planned = async (path: string) =>
  (await planBatch({ inputs: [path], out: join(disk.root, "out"), settings: PLAIN, shard: undefined })).jobs;

/** What the library, a page's opener and a batch make of a folder: each frame's first depth, or the topics to choose from. */
async function byAll(contents: Contents, topic?: string) {
  const path = disk.folder(contents);
  type Opened = Pick<Recording, "length" | "close"> & { read(i: number): Promise<Pick<DepthFrame, "depth">> };
  const told = async (open: () => Promise<Opened>) => {
    try {
      const recording = await open();
      const depths = [];
      for (let i = 0; i < recording.length; i++) depths.push((await recording.read(i)).depth.data[0]);
      await recording.close();
      return depths;
    } catch (error) {
      if (error instanceof SeveralTopicsError) return error.topics.map(({ name }) => name).sort();
      throw error;
    }
  };
  const library = await told(() => openRecording(path, { topic, worker: false }));
  const list = Object.entries(contents).map(([name, bytes]) => {
    const file = new File([new Uint8Array(Buffer.from(bytes as Uint8Array))], name.split("/").at(-1) ?? "");
    return Object.defineProperty(file, "webkitRelativePath", { value: `top/${name}` });
  });
  const page = await told(async () => {
    const opened = await openHere(await givenBy(list), { topic });
    return { length: opened.frames.length, read: opened.frames.read, close: opened.close };
  });
  const jobs = await planned(path);
  return { library, page, info: await infoOf(path, topic), batch: jobs.map((one) => one.topic ?? "whole").sort() };
}

/** What `info` says: the number of frames, or the topics to choose from. */
async function infoOf(path: string, topic?: string) {
  const printed = vi.spyOn(process.stdout, "write").mockImplementation((_, ...more) => {
    for (const call of more) if (typeof call === "function") call();
    return true;
  });
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    await tellRecording(path, { topic, worker: false }, true);
    const { frames, topics } = JSON.parse(printed.mock.calls.map(([text]) => String(text)).join(""));
    return topics ? topics.map(({ name }: { name: string }) => name).sort() : frames;
  } finally {
    vi.restoreAllMocks();
  }
}

describe("the depth of a folder is found alike by library, info, page and batch:", () => {
  const table = SAME.flatMap((layout) =>
    Object.keys(ENDINGS).map((ending) => [layout[0], layout[1].join(" "), ending, layout] as const),
  );
  test.each(table)("%s beside %s, .%s", async (_, __, ending, layout) => {
    const depths = [0, 1, 2, 3].map((k) => slope(k)[0]);
    const told = await byAll(filesOf(layout, ending));
    expect(told).toEqual({ library: depths, page: depths, info: count, batch: ["whole"] });
  });

  const two = (a: string, b: string): Contents => ({ ...filesOf([a, []], "png"), ...filesOf([b, []], "png") });
  test.each([
    ["left_depth_#", "right_depth_#", "left*"],
    ["cam0_depth_00#", "cam1_depth_00#", "cam0*"],
    ["831205_00#", "831206_00#", "831205*"],
    ["left/depth/00#", "right/depth/00#", "left/*"],
  ])("of %s and %s the user chooses one", async (a, b, topic) => {
    const contents = two(a, b);
    const names = [a, b].map((name) => `${name.replace(/0*#/, "*")}.png`).sort();
    const { library, page, info, batch } = await byAll(contents);
    expect([library, page, info]).toEqual([names, names, names]);
    expect(batch).toEqual(a.includes("/") ? ["whole", "whole"] : names);
    const depths = [0, 1, 2, 3].map((k) => slope(k)[0]);
    expect(await byAll(contents, topic)).toMatchObject({ library: depths, page: depths });
  });
});

test("a folder of .npz files, one a frame, is one recording", async () => {
  const contents: Contents = {};
  for (let k = 0; k < count; k++) {
    const depth = ENDINGS.npy(slope(k));
    contents[`frames/00${k}.npz`] = zipOf({ "depth.npy": depth, "ir.npy": ENDINGS.npy(flat(k)), "pose.npy": "none" });
  }
  const depths = [0, 1, 2, 3].map((k) => slope(k)[0]);
  expect(await byAll(contents)).toEqual({ library: depths, page: depths, info: count, batch: ["whole"] });
});

test("a frame's array in Fortran's order is refused by its name, with what to do", async () => {
  const array = npyOf("<u2", [height, width], littleEndian(slope(0)), "'fortran_order': True");
  const files = [0, 1].map((k) => [`${k}.npz`, zipOf({ "depth.npy": array })] as const);
  await expect(openRecording(disk.folder(Object.fromEntries(files)))).rejects.toThrow(
    /0\.npz\/depth\.npy: this NumPy array is in Fortran's order; save numpy\.ascontiguousarray/,
  );
});

/** Folders of data sets and of makers, of `count` frames each. */
const KINDS: Readonly<Record<string, Contents>> = {
  "7-Scenes": { ...named("frame-00000#.depth.png"), "frame-000000.pose.txt": "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1" },
  "Stray Scanner": { ...named("depth/00000#.png"), "odometry.csv": "timestamp, frame, x, y, z, qx, qy, qz, qw\n" },
  ICL: { ...named("depth/#.png"), "associations.txt": rows((k) => `${k} depth/${k}.png ${k} rgb/${k}.png`) },
  TUM: { ...named("depth/#.5.png"), "depth.txt": rows((k) => `${k}.5 depth/${k}.5.png`) },
  "a camera chain of Kalibr": {
    ...named("depth/00#.png"),
    "camchain.yaml": "cam0:\n  camera_model: pinhole\n  intrinsics: [9, 9, 6, 4]\n  resolution: [12, 9]\n",
  },
  "RTAB-Map": { ...named("a_depth/#.png"), ...named("a_calib/#.yaml", "image_width: 12\nimage_height: 9\n") },
  ARKitScenes: {
    ...named("lowres_depth/4_10.#.png"),
    ...named("lowres_wide_intrinsics/4_10.#.pincam", "12 9 9 9 6 4"),
  },
  "HoloLens 2": {
    ...named("Depth Long Throw/1325634567#000000.png"),
    "Depth Long Throw_rig2world.txt": rows((k) => `1325634567${k}000000,1,0,0,${k},0,1,0,0,0,0,1,0,0,0,0,1`),
    "Depth Long Throw_extrinsics.txt": "1,0,0,0,0,-1,0,0.2,0,0,-1,0,0,0,0,1\n",
  },
  "CARLA, told by a field of a file beside": {
    ...coded("depth/000#.png"),
    "metadata.json": JSON.stringify({ sensor: "sensor.camera.depth" }),
  },
  "HO-3D, told by the fields of its pickles": {
    ...coded("depth/000#.png"),
    ...named("meta/000#.pkl", "camMat objTrans handJoints3D"),
  },
  "an OAK's calibration": {
    ...named("depth_#.png"),
    "calib.json": JSON.stringify({ cameraData: [[0, { cameraType: 0, intrinsicMatrix: matrixOf(9, 6, 4), ...size }]] }),
  },
  "a pair that Kalibr calibrated": {
    ...named("cam0/#.png", grey),
    ...named("cam1/#.png", grey),
    "camchain.yaml": `cam0:\n  intrinsics: [9, 9, 6, 4]\n  resolution: [12, 9]\ncam1:\n  T_cn_cnm1:\n  - [1, 0, 0, -0.1]\n  - [0, 1, 0, 0]\n  - [0, 0, 1, 0]\n  - [0, 0, 0, 1]\n  intrinsics: [9, 9, 6, 4]\n  resolution: [12, 9]\n`,
  },
  "RTAB-Map's stereo": {
    ...named("left/#.jpg", grey),
    ...named("right/#.jpg", grey),
    ...named("calib/#_left.yaml", projection(0)),
    ...named("calib/#_right.yaml", projection(-1)),
  },
  "a pair": { ...named("image_0/00#.png"), ...named("image_1/00#.png"), "calib.txt": kitti(0) + kitti(-4) },
};
function named(name: string, given?: Contents[string] | ((k: number) => Uint8Array)): Contents {
  const of = (k: number) => (typeof given === "function" ? given(k) : (given ?? ENDINGS.png(slope(k))));
  return Object.fromEntries([0, 1, 2, 3].map((k) => [name.replace("#", String(k)), of(k)]));
}
/** Depth in three bytes of a colour, the lowest first. */
function coded(name: string): Contents {
  const codes = (k: number) => [...slope(k)].map((mm) => Math.round((mm / 1e6) * (2 ** 24 - 1)));
  const data = (k: number) => Uint8Array.from(codes(k).flatMap((code) => [code & 255, (code >> 8) & 255, code >> 16]));
  return named(name, (k) => encode({ width, height, channels: 3, depth: 8, data: data(k) }));
}
function grey(k: number): Uint8Array {
  return encode({ width, height, channels: 1, depth: 8, data: new Uint8Array(width * height).fill(90 + k) });
}
function projection(shift: number): string {
  return `image_width: 12\nimage_height: 9\nprojection_matrix:\n   rows: 3\n   cols: 4\n   data: [ 9., 0., 6., ${shift}., 0., 9., 4., 0., 0., 0., 1., 0. ]\n`;
}
function rows(row: (k: number) => string): string {
  return [0, 1, 2, 3].map(row).join("\n");
}
function kitti(shift: number): string {
  return `P${shift ? 1 : 0}: 9 0 6 ${shift} 0 9 4 0 0 0 1 0\n`;
}

test.each(Object.entries(KINDS))("%s is one recording for library, page, info and batch", async (_, contents) => {
  const { library, page, info, batch } = await byAll(contents);
  expect([library.length, info, batch, page]).toEqual([count, count, ["whole"], library]);
});

test("depth in colours of which nothing says whose it is fails by its name in a batch, too; photos are none", async () => {
  expect(await planned(disk.folder(coded("depth/000#.png")))).toHaveLength(1);
  expect(await planned(disk.folder(named("images/000#.png", color)))).toEqual([]);
  await expect(openRecording(disk.folder(coded("depth/000#.png")))).rejects.toThrow("nothing says by which program");
});

test("two kinds of images that take turns under one name are two topics", async () => {
  const contents: Contents = {};
  for (let k = 0; k < 8; k++) contents[`000${k}.png`] = ENDINGS.png(k % 2 ? flat(k) : slope(k));
  const { library } = await byAll(contents);
  expect(library).toEqual(["*.png (every second from 0000.png)", "*.png (every second from 0001.png)"]);
  expect((await byAll(contents, "*0000.png)")).library).toHaveLength(4);
});

test("images that are infrared by their names are refused, and read where the user asks for them", async () => {
  const contents = filesOf(["ir_00#", []], "png");
  await expect(openRecording(disk.folder(contents))).rejects.toThrow(
    /are not depth, as their names say: ir_\*\.png \(infrared\)/,
  );
  expect((await byAll(contents, "ir_*")).library).toHaveLength(4);
});

test("lengths of rays are turned into depth by the lens", async () => {
  const contents = { ...filesOf(["distance_to_camera_00#", []], "png"), "K.txt": "10 0 5.5 0 10 4 0 0 1" };
  const recording = await disk.open(disk.folder(contents));
  const { depth } = await recording.read(0);
  expect(depth.get(0, 0)).toBe(Math.round(slope(0)[0] / Math.hypot(0.55, 0.4, 1)));
});
