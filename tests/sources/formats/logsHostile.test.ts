import { test } from "vitest";
import { encodeRvl } from "../../../sources/decode/rvl.ts";
import { surviveAll } from "../hostile.ts";
import { packed } from "../logs/bz2.ts";
import { zstandard } from "../logs/compress.ts";
import { bagOf, db3Of, type Entry, entry, mcapOf } from "../logs/files.ts";
import * as made from "../logs/frames.ts";
import { depthUnits, HEIGHT, WIDTH } from "../logs/frames.ts";
import * as write from "../logs/messages.ts";

// Damaged MCAP files and bags: each is read or refused with an error for the user. This is a small share of the files that
// `npm run fuzz` tries.

const rvl = (i: number) => {
  const size = new Uint8Array(Uint32Array.of(WIDTH, HEIGHT).buffer);
  return made.withHeader(Buffer.concat([size, encodeRvl(depthUnits(i))]));
};
const ros2 = (image: (i: number) => write.Written): Entry[] => [
  entry("/depth/camera_info", 5, write.ros2Lens({ d: [0.1, 0, 0, 0, 0], model: "plumb_bob" })),
  entry("/tf_static", 6, write.ros2Transform("base", "eye", [0, 0, 0], [0, 0, 0, 1])),
  ...[0, 1, 2].map((i) => entry("/depth/image", 10 * i + 10, image(i))),
  entry("/color/image", 10, write.ros2Image({ encoding: "yuyv", data: new Uint8Array(48).fill(90) })),
];
const plain = (i: number) => write.ros2Image({ encoding: "16UC1", data: made.rows16(depthUnits(i)) });
/** The very messages of the chunk that bz2.ts has packed. */
const ros1: Entry[] = [
  entry("/camera/depth/camera_info", 1_600_000_000_000, write.ros1Lens()),
  ...[0, 1].map((i) =>
    entry(
      "/camera/depth/image_raw",
      1_600_000_000_000 + i * 100,
      write.ros1Image({ encoding: "16UC1", data: made.rows16(depthUnits(i)) }),
    ),
  ),
];
const foxglove = (how: "protobuf" | "json") => {
  const fields = { width: WIDTH, height: HEIGHT, encoding: "32FC1", step: 24, data: made.rows32(depthUnits(0)) };
  return [entry("/depth", 1, write.foxglove("RawImage", fields, how))];
};

test.each([
  ["plain.mcap", () => mcapOf(ros2(plain))],
  ["loose.mcap", () => mcapOf(ros2(plain), { chunked: false, summary: false })],
  ["lz4.mcap", () => mcapOf(ros2(plain), { compression: "lz4", chunkSize: 400 })],
  ["zstd.mcap", () => mcapOf(ros2(plain), { compression: "zstd", chunkSize: 400 })],
  ["rvl.mcap", () => mcapOf(ros2((i) => write.ros2Compressed("16UC1; compressedDepth rvl", rvl(i))))],
  ["protobuf.mcap", () => mcapOf(foxglove("protobuf"))],
  ["json.mcap", () => mcapOf(foxglove("json"))],
  ["plain.bag", async () => bagOf(ros1)],
  ["lz4.bag", async () => bagOf(ros1, { compression: "lz4", perChunk: 2 })],
  ["bz2.bag", async () => bagOf(ros1, { compression: "bz2", perChunk: 3, compress: () => packed })],
  ["plain.db3", () => db3Of(ros2(plain))],
  ["zstd.db3", () => db3Of(ros2(plain), false, false, zstandard)],
] as const)("cut off, and damaged, %s is read or refused with a reason", async (name, make) => {
  await surviveAll(name, await make(), { cuts: 20 });
});
