import { deflateSync } from "node:zlib";
import { packDepth } from "../../sources/decode/depthV2/index.ts";
import { encodeRvl } from "../../sources/decode/rvl.ts";
import {
  type Contents,
  colorPng,
  depthPng,
  depthValues,
  HEIGHT,
  sevenScenesContents,
  tumContents,
  WIDTH,
  zipOf,
} from "../sources/fixtures.ts";
import { packed as bz2Chunk } from "../sources/logs/bz2.ts";
import { zstandard } from "../sources/logs/compress.ts";
import { bagOf, db3Of, type Entry, mcapOf } from "../sources/logs/files.ts";
import * as made from "../sources/logs/frames.ts";
import * as write from "../sources/logs/messages.ts";
import { Bytes, littleEndian } from "../sources/makers/bytes.ts";
import { exrOf, pizExr } from "../sources/makers/exr.ts";
import { lerobotContents } from "../sources/makers/lerobot.ts";
import { calibrationJson, mkvOf } from "../sources/makers/mkv.ts";
import { oniOf } from "../sources/makers/oni.ts";
import { adminOf, calibration, rtabmapOf } from "../sources/makers/rtabmap.ts";
import { sensOf } from "../sources/makers/sens.ts";
import { floats, npyOf, tiffOf } from "../sources/makers/still.ts";
import { oak, oakFrame, orbbecImage, orbbecProfile } from "../sources/makers/vendors.ts";
import { depths, many } from "../sources/opening.ts";

// Intact recordings, at least one of each format, each with all parts that its format can have.

const depth = [0, 1].map((i) => depthValues(i));
const size = { width: WIDTH, height: HEIGHT };
const intrinsics = { fx: 5, fy: 5, cx: 3, cy: 2 };
const described = {
  depth: "depth/*.png",
  color: "color/*.png",
  registered: true,
  metresPerUnit: 0.001,
  invalid: [0, 65535],
  fps: 30,
  intrinsics: { ...intrinsics, distortion: [0.1, 0] },
};
const SIDES = ["left", "right"];
const EYE = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const MAP_LENS =
  "projection_matrix:\n   data: [ 5., 0., 3., 0., 0.,\n   5., 2., 0., 0., 0., 1., 0. ]\nlocal_transform:\n   data: [ 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0. ]\n";
const pgm = (values: Uint16Array) =>
  new Bytes().text(`P5 ${WIDTH} ${HEIGHT} 65535\n`).bytes(littleEndian(values)).done();

/** Intact recordings of several files. */
export const folders: readonly Contents[] = [
  { ...tumContents(3), "recording.json": JSON.stringify({ intrinsics }) },
  sevenScenesContents(2),
  {
    "recording.json": JSON.stringify({ ...described, times: "times.csv" }),
    "times.csv": "time_ms,x,y,z,qx,qy,qz,qw\n5,0,0,0,0,0,0,1\n40\n",
    ...depths(2, (i) => `depth/${i}.png`),
    "color/0.png": colorPng(0),
    "color/1.png": colorPng(1, 4),
  },
  {
    "associations.txt": "0 depth/0.png 0 rgb/0.png\n1 depth/1.png 1 rgb/1.png\n",
    ...depths(2, (i) => `depth/${i}.png`),
    ...many(2, (i) => [`rgb/${i}.png`, colorPng(i)]),
  },
  {
    "camera_matrix.csv": "1440.0, 0.0, 959.5\n0.0, 1440.0, 719.5\n0.0, 0.0, 1.0\n",
    "odometry.csv":
      "timestamp, frame, x, y, z, qx, qy, qz, qw\n5.0, 000000, 1, 2, 3, 0, 0, 0, 1\n5.1, 000001, 4, 5, 6, 0, 0, 0, 1\n",
    ...depths(2, (i) => `depth/00000${i}.png`),
  },
  {
    ...depths(2, (i) => `depth/${i}.png`),
    "log.txt": "saving 10%\rsaving 20%\rdone\n",
    "camera.yaml": "fx: 5\nfy: 5\ncx: 3\ncy: 2\nK: [5, 0, 3,\n  0, 5, 2, 0, 0, 1]\n- - 1\n  - 2\n",
    "calib.csv": "camera,fx,fy,cx,cy\ndepth,5,5,3,2\n",
    "b.txt":
      '<?xml version="1.0"?>\n<K type_id="a">\n<rows>3</rows><cols>3</cols><dt>d</dt>\n<data>\n5 0 3 0 5 2 0 0 1</data></K>\n',
    "meta.json": '{"fps":30,"poses":[[1,2,3,0,0,0,1],[1,2,4,0,0,0,1]],"timestamps":[5,5.1]}',
    "traj.txt": "0 1 2 3 0 0 0 1\n1 1 2 3 0 0 0 1\n",
    "scene_camera.json": JSON.stringify({ 0: { cam_K: [5, 0, 3, 0, 5, 2, 0, 0, 1], depth_scale: 0.1 } }),
  },
  {
    ...depths(2, (i) => `000001/depth/00000${i}.png`),
    "000001/rgb/000000.png": colorPng(0),
    "000001/scene_camera.json": JSON.stringify(
      depth.map(() => ({ cam_K: [5, 0, 3, 0, 5, 2, 0, 0, 1], depth_scale: 0.1, cam_R_w2c: EYE, cam_t_w2c: [9, 0, 0] })),
    ),
  },
  {
    ...depths(2, (i) => `lowres_depth/41_${i}.500.png`),
    ...many(2, (i) => [`lowres_wide_intrinsics/41_${i}.500.pincam`, "7 5 5 5 3 2"]),
    "lowres_wide.traj": "0.5 0 0 0 1 0 0\n1.5 0 0 0 2 0 0\n",
  },
  {
    ...depths(2, (i) => `room0/results/depth00000${i}.png`),
    "room0/traj.txt": "1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1\n".repeat(2),
    "cam_params.json": JSON.stringify({ camera: { w: WIDTH, h: HEIGHT, fx: 5, fy: 5, cx: 3, cy: 2, scale: 1000 } }),
  },
  {
    ...depths(2, (i) => `map_depth/${i + 3}.png`),
    ...many(2, (i) => [`map_calib/${i + 3}.yaml`, MAP_LENS]),
    "map_camera_poses.g2o": "VERTEX_SE3:QUAT 3 1 2 3 0 0 0 1\nVERTEX_SE3:QUAT 4 1 2 3 0 0 0 1\nEDGE_SE3:QUAT 3 4 1\n",
    "map_poses.txt": "#timestamp x y z qx qy qz qw id\n1 1 2 3 0 0 0 1 3\n2 1 2 3 0 0 0 1 4\n",
  },
  {
    ...Object.fromEntries(depth.map((values, i) => [`Depth AHaT/13256345678${i}000000.pgm`, pgm(values)])),
    "Depth AHaT_rig2world.txt": "132563456780000000,1,0,0,5,0,1,0,0,0,0,1,0,0,0,0,1\n",
    "Depth AHaT_extrinsics.txt": "1,0,0,5,0,1,0,0,0,0,1,0,0,0,0,1\n",
    "Depth AHaT_lut.bin": floats(Array.from({ length: WIDTH * HEIGHT }, () => [0, 0.6, 0.8]).flat()),
  },
  many(2, (i) => [
    `${i}.npz`,
    zipOf({
      "depth.npy": npyOf("<u2", [HEIGHT, WIDTH], littleEndian(depth[i])),
      "rgb.npy": npyOf("|u1", [HEIGHT, WIDTH, 3], new Uint8Array(3 * HEIGHT * WIDTH)),
      "K.npy": npyOf("<f4", [3, 3], floats([5, 0, 3, 0, 5, 2, 0, 0, 1])),
      "pose.npy": npyOf("<f4", [3, 4], floats([1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0])),
    }),
  ]),
  {
    ...many(2, (i) => [`cam${i}/data/1403636579763555584.png`, colorPng(i)]),
    ...many(2, (i) => [
      `cam${i}/sensor.yaml`,
      `T_BS:\n  data: [1, 0, 0, ${0.11 * i}, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\nresolution: [7, 5]\nintrinsics: [6, 6, 3, 2]\ndistortion_coefficients: [0.1, 0, 0, 0]\n`,
    ]),
  },
  {
    ...many(2, (i) => [`cam${i}/1403636579763555584.png`, colorPng(i)]),
    "camchain.yaml":
      "cam0:\n  camera_model: pinhole\n  distortion_model: radtan\n  distortion_coeffs: [0.1, 0, 0, 0]\n  intrinsics: [6, 6, 3, 2]\n  resolution: [7, 5]\ncam1:\n  T_cn_cnm1:\n  - [1, 0, 0, -0.11]\n  - [0, 1, 0, 0]\n  - [0, 0, 1, 0]\n  - [0, 0, 0, 1]\n  intrinsics: [6, 6, 3, 2]\n  resolution: [7, 5]\n",
  },
  {
    ...many(2, (i) => [`map_${SIDES[i]}/3.jpg`, colorPng(i)]),
    ...many(2, (i) => [
      `map_calib/3_${SIDES[i]}.yaml`,
      `image_width: 7\nimage_height: 5\nprojection_matrix:\n   data: [ 6., 0., 3., ${-i}., 0., 6., 2., 0.,\n   0., 0., 1., 0. ]\n`,
    ]),
  },
  lerobotContents({ lengths: [2] }),
  {
    "INDEX.txt": "",
    ...Object.fromEntries(depth.map((values, i) => [`d-1294886360.${100 + i}-2826900.pgm`, pgm(values)])),
    "r-1294886360.110-2826900.ppm": new Bytes()
      .text(`P6 ${WIDTH} ${HEIGHT} 255\n`)
      .bytes(new Uint8Array(3 * WIDTH * HEIGHT).fill(60))
      .done(),
  },
];

const image = (encoding: string, data: Uint8Array) => write.ros2Image({ encoding, data });
const ros2 = (depthOf: (i: number) => write.Written): Entry[] => [
  { topic: "/depth/camera_info", time: 5, message: write.ros2Lens({ d: [0.1, 0, 0, 0, 0] }) },
  { topic: "/tf_static", time: 6, message: write.ros2Transform("base", "eye", [0, 0, 0], [0, 0, 0, 1]) },
  ...[0, 1].map((i) => ({ topic: "/depth/image", time: 10 * i + 10, message: depthOf(i) })),
  { topic: "/color/image", time: 10, message: image("yuyv", new Uint8Array(48).fill(90)) },
];
const rows = (i: number) => made.rows16(made.depthUnits(i));
const plain = (i: number) => write.ros2Depth(i);
const png = (i: number) =>
  write.ros2Compressed("16UC1; compressedDepth png", made.withHeader(made.depthPng(made.depthUnits(i))));
const at = (topic: string, message: write.Written, i: number): Entry => ({ topic, time: 10 * i + 10, message });
const packed = (i: number) =>
  write.ros2Compressed(
    "16UC1; depthloom.depth.v2",
    packDepth(Uint16Array.from(made.depthUnits(i)), 6, 4, "deflate", (block) => deflateSync(block)),
  );
const rvl = (i: number) => {
  const head = new Uint8Array(Uint32Array.of(made.WIDTH, made.HEIGHT).buffer);
  return write.ros2Compressed(
    "16UC1; compressedDepth rvl",
    made.withHeader(Buffer.concat([head, encodeRvl(made.depthUnits(i))])),
  );
};
const foxglove = (how: "protobuf" | "json") => {
  const fields = { width: 6, height: 4, encoding: "32FC1", step: 24, data: made.rows32(made.depthUnits(0)) };
  return [at("/depth", write.foxglove("RawImage", fields, how), 0)];
};
const ros1: Entry[] = [
  { topic: "/depth/camera_info", time: 5, message: write.ros1Lens() },
  ...[0, 1].map((i) => at("/depth/image", write.ros1Depth(i), i)),
];
/** The very messages of the chunk that bz2.ts has packed. */
const packedBag: Entry[] = [
  { topic: "/camera/depth/camera_info", time: 1_600_000_000_000, message: write.ros1Lens() },
  ...[0, 1].map((i) => ({
    topic: "/camera/depth/image_raw",
    time: 1_600_000_000_000 + i * 100,
    message: write.ros1Depth(i),
  })),
];
const bz2 = { compression: "bz2", perChunk: 3, compress: () => bz2Chunk } as const;
const metres = Array.from(depthValues(0), (value) => value / 1000);
const raw = { kind: "BGRA", width: 4, height: 2, frames: depth.map((_, i) => new Uint8Array(32).fill(9 * i)) };

/** Intact recordings of one file. */
export const files: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ["plain.mcap", await mcapOf(ros2(plain))],
  ["lz4.mcap", await mcapOf(ros2(png), { compression: "lz4", chunkSize: 400 })],
  ["zstd.mcap", await mcapOf(ros2(plain), { compression: "zstd", chunkSize: 400 })],
  ["loose.mcap", await mcapOf(ros2(plain), { chunked: false, summary: false })],
  ["v2.mcap", await mcapOf(ros2(packed))],
  ["rvl.mcap", await mcapOf(ros2(rvl))],
  ["protobuf.mcap", await mcapOf(foxglove("protobuf"))],
  ["json.mcap", await mcapOf(foxglove("json"))],
  ["oak.mcap", await mcapOf([0, 1].map((i) => at("depth", oak("img_frame.ImgFrame", oakFrame(14, rows(i), 2)), i)))],
  ["plain.bag", bagOf(ros1)],
  [
    "orbbec.bag",
    bagOf([
      at("/cam/streamProfileType_3", orbbecProfile(new Array(8).fill(0), 4), 0),
      ...[0, 1].map((i) => at("/cam/sensor_3/frameType_3", orbbecImage("z16", rows(i)), i)),
    ]),
  ],
  ["lz4.bag", bagOf(ros1, { compression: "lz4", perChunk: 2 })],
  ["bz2.bag", bagOf(packedBag, bz2)],
  ["plain.db3", await db3Of(ros2(plain))],
  ["zstd.db3", await db3Of(ros2(plain), false, false, zstandard)],
  ["a.mkv", mkvOf({ ...size, depth, color: raw, calibration: calibrationJson() })],
  ["unfinished.mkv", mkvOf({ ...size, depth, unfinished: true })],
  ["a.sens", sensOf({ ...size, depth })],
  ["color.sens", sensOf({ ...size, depth, color: { ...raw, kind: 0, frames: depth.map(() => new Uint8Array(24)) } })],
  ["a.oni", oniOf({ ...size, depth })],
  ["color.oni", oniOf({ ...size, depth, codec: "16zT", color: depth.map(() => new Uint8Array(3 * WIDTH * HEIGHT)) })],
  ["a.npy", npyOf("<f4", [HEIGHT, WIDTH], floats(metres))],
  ["a.npz", zipOf({ "depth.npy": npyOf("<f4", [HEIGHT, WIDTH], floats(metres)) })],
  [
    "map.db",
    await rtabmapOf(
      depth.map((values) => depthPng(values)),
      [colorPng(0), colorPng(1)],
      calibration(),
      ...adminOf([1, 2]),
    ),
  ],
  [
    "keys.npz",
    zipOf({
      "depth.npy": npyOf("<u2", [2, HEIGHT, WIDTH], Buffer.concat(depth.map((values) => littleEndian(values)))),
      "rgb.npy": npyOf("|u1", [2, HEIGHT, WIDTH, 3], new Uint8Array(6 * HEIGHT * WIDTH)),
      "K.npy": npyOf("<f4", [3, 3], floats([5, 0, 3, 0, 5, 2, 0, 0, 1])),
      "poses.npy": npyOf("<f4", [2, 7], floats([0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1])),
      "times.npy": npyOf("<f4", [2], floats([5, 5.1])),
    }),
  ],
  ["a.tif", tiffOf({ ...size, values: littleEndian(depthValues(0)), bits: 16, compression: 8, predictor: 2 })],
  ["lzw.tif", tiffOf({ ...size, values: littleEndian(depthValues(0)), bits: 16, compression: 5, rowsPerStrip: 2 })],
  ["a.exr", exrOf(WIDTH, HEIGHT, { Z: metres })],
  ["piz.exr", pizExr()],
  ["a.pfm", Buffer.concat([Buffer.from(`Pf\n${WIDTH} ${HEIGHT}\n-1\n`), floats(metres)])],
  ["a.png", depthPng(depthValues(0))],
];
