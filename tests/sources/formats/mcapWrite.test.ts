import { readFileSync } from "node:fs";
import { join } from "node:path";
import { McapIndexedReader } from "@mcap/core";
import { decode } from "fast-png";
import { describe, expect, test } from "vitest";
import { type DepthFrame, DISTORTION_MODELS, image } from "../../../core/frame.ts";
import { unpackDepth } from "../../../sources/decode/depthV2/unpack.ts";
import { colorOf } from "../../../sources/decode/pixels.ts";
import { loadCodec } from "../../../sources/decode/platform.ts";
import { syntheticRoom } from "../../../sources/synthetic/index.ts";
import { cloudMessage, cloudOf } from "../../../write/cloud.ts";
import { Losses, writeLerobot, writePngFolder, writePoints, writeTum } from "../../../write/index.ts";
import { type DepthCodec, depthCodecs, recordMcap } from "../../../write/mcap.ts";
import { useFolder } from "../fixtures.ts";
import { contents, of, type Told } from "./mcapContents.ts";

// MCAP files of the recorder, read by @mcap/core: each message has ROS's own form, and no value is lost.

const disk = useFolder();
const room = syntheticRoom({ width: 48, height: 36, fps: 30, frames: 4, cameraMotion: "sway" });

const u16 = (bytes: Uint8Array) => new Uint16Array(bytes.slice().buffer);

async function recorded(name: string, frames: readonly DepthFrame[], codec: DepthCodec) {
  const path = join(disk.root, name);
  const { recorder, close } = await recordMcap(path, { codec });
  try {
    for (const frame of frames) await recorder.frame(frame);
    await recorder.settings({ stages: [{ name: "median" }] });
    await recorder.latency(frames.at(-1)?.timestamp ?? 0, [{ name: "median", ms: 1.25 }]);
  } finally {
    await close();
  }
  return path;
}

const frames = await Promise.all([0, 1, 2, 3].map((i) => room.read(i)));

test("a frame that cannot be encoded rejects, and costs the file no other frame", async () => {
  const path = join(disk.root, "left.mcap");
  const { recorder, close } = await recordMcap(path);
  const [, one, two] = frames;
  const odd = { ...two, color: { ...image(new Uint8Array(4), [1, 1, 4]), shape: [36, 48, 4] } } as DepthFrame;
  const writes = [frames[0], odd, { ...one, timestamp: 1e19 }, frames[3]].map((frame) => recorder.frame(frame));
  expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  // What has ended may be ended again.
  await recorder.end();
  await close();
  const { told } = await contents(path);
  expect(of(told, "/depth/image").map(({ sequence }) => sequence)).toEqual([0, 3]);
});

describe.each(depthCodecs)("recordMcap with the codec %s", (codec) => {
  test("keeps depth, colour, lens and times bit for bit, in ROS's own messages", async () => {
    const { header, told } = await contents(await recorded(`${codec}.mcap`, frames, codec));
    expect(header).toBe("ros2, depthloom");
    const bases = { zstd: "/depth/image", png: "/depth/image/compressedDepth", v2: "/depth/image/v2" };
    const base = bases[codec === "rvl" ? "png" : codec];
    const depth = of(told, base);
    expect(depth.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3]);
    expect(depth[0]?.metadata).toEqual(new Map([["metresPerUnit", "0.001"]]));
    for (const [i, { message, time }] of depth.entries()) {
      const frame = frames[i] as DepthFrame;
      expect(Number(time) / 1e6).toBeCloseTo(frame.timestamp, 6);
      const data = message.data as Uint8Array;
      if (codec === "zstd") {
        expect(message).toMatchObject({ height: 36, width: 48, encoding: "16UC1", is_bigendian: 0, step: 96 });
        expect(u16(data)).toEqual(frame.depth.data);
      } else
        expect(message.format).toBe(codec === "v2" ? "16UC1; depthloom.depth.v2" : `16UC1; compressedDepth ${codec}`);
      if (codec === "v2") expect(await unpackDepth(data, (await loadCodec()).inflate)).toEqual(frame.depth.data);
      if (codec === "png") expect(decode(data.slice(12)).data).toEqual(frame.depth.data);
      if (codec === "rvl") expect([...new Uint32Array(data.slice(0, 20).buffer)]).toEqual([0, 0, 0, 48, 36]);
    }
    const { fx, fy, cx, cy } = (frames as [DepthFrame])[0].intrinsics;
    const lens = {
      height: 36,
      width: 48,
      distortion_model: "plumb_bob",
      k: Float64Array.of(fx, 0, cx, 0, fy, cy, 0, 0, 1),
    };
    expect(of(told, "/depth/camera_info")[2]?.message).toMatchObject(lens);
    expect(of(told, "/color/camera_info")[2]?.message).toMatchObject(lens);
    const [color] = of(told, "/color/image/compressed");
    const rgb = frames[0]?.color?.data.filter((_, i) => i % 4 < 3);
    expect(decode(color?.message.data as Uint8Array).data).toEqual(new Uint8Array(rgb ?? []));
    expect(of(told, "/depthloom/settings")[0]?.message.data).toBe('{"stages":[{"name":"median"}]}');
    expect(of(told, "/depthloom/latency/median")[0]?.message).toEqual({ data: 1.25 });
  });
});

test("recordMcap writes the frames' poses to /tf, and openRecording gives the poses back", async () => {
  const poses = await Promise.all([0, 1, 2, 3].map((i) => room.pose(i)));
  // The third frame has no pose.
  const placed = frames.map((frame, i) => (i === 2 ? frame : { ...frame, pose: poses[i] }));
  const path = await recorded("placed.mcap", placed, "zstd");
  const { told } = await contents(path);
  const sent = of(told, "/tf");
  expect(sent.map(({ sequence }) => sequence)).toEqual([0, 1, 3]);
  const [, second] = poses as [number[], number[]];
  const [x, y, z] = [3, 7, 11].map((i) => second[i]);
  expect(sent[1]?.message).toMatchObject({
    transforms: [
      { header: { frame_id: "world" }, child_frame_id: "depth_optical_frame", transform: { translation: { x, y, z } } },
    ],
  });
  const recording = await disk.open(path);
  for (const [i, pose] of poses.entries()) {
    const read = await recording.read(i);
    expect(read.pose).toEqual(await recording.pose(i));
    if (i === 2) expect(read.pose).toBeUndefined();
    else for (const [k, value] of pose.entries()) expect(read.pose?.[k], `frame ${i}, ${k}`).toBeCloseTo(value, 9);
  }
  expect(recording.warnings).toEqual([]);
  // A file without poses has none, and no topic for them.
  const bare = await disk.open(await recorded("bare.mcap", frames.slice(0, 1), "zstd"));
  expect(await bare.pose(0)).toBeUndefined();
});

test.each(DISTORTION_MODELS)("a lens with %s distortion comes back from MCAP unchanged", async (distortionModel) => {
  const [frame] = frames as [DepthFrame];
  const intrinsics = { ...frame.intrinsics, distortion: [0.1, -0.02, 0.001, 0.002], distortionModel };
  const recording = await disk.open(await recorded(`${distortionModel}.mcap`, [{ ...frame, intrinsics }], "zstd"));
  const { distortionModel: model = "brown-conrady", ...back } = (await recording.read(0)).intrinsics;
  expect({ ...back, distortionModel: model }).toEqual(intrinsics);
});

test("recordMcap writes depth in units other than 1 mm as metres, which convert back exactly", async () => {
  const values = Uint16Array.from({ length: 65536 }, (_, i) => i);
  const { color: _, ...first } = frames[0] as DepthFrame;
  const intrinsics = { ...first.intrinsics, width: 256, height: 256 };
  const frame = { ...first, intrinsics, depth: image(values, [256, 256]), metresPerUnit: 1 / 5000 };
  const { told } = await contents(await recorded("units.mcap", [frame], "png"));
  const [{ message, metadata }] = of(told, "/depth/image") as [Told];
  expect(message).toMatchObject({ encoding: "32FC1", step: 1024 });
  const metres = new Float32Array((message.data as Uint8Array).slice().buffer);
  expect(metres[0]).toBeNaN();
  const unit = Number(metadata.get("metresPerUnit"));
  expect(Uint16Array.from(metres, (m) => (Number.isNaN(m) ? 0 : Math.round(m / unit)))).toEqual(values);
});

test("recordMcap writes eight distortion coefficients, and refuses a time before 1970", async () => {
  const distortion = [0.1, -0.2, 0.001, 0.002, 0.3, 0.4, 0.5, 0.6];
  const [frame] = frames as [DepthFrame];
  const bent = { ...frame, intrinsics: { ...frame.intrinsics, distortion } };
  const { told } = await contents(await recorded("bent.mcap", [bent], "zstd"));
  expect(of(told, "/depth/camera_info")[0]?.message).toMatchObject({
    distortion_model: "rational_polynomial",
    d: Float64Array.from(distortion),
  });
  await expect(recorded("early.mcap", [{ ...frame, timestamp: -1 }], "zstd")).rejects.toThrow(
    /-1 ms lies outside of what ROS can express/,
  );
});

test("a file of recordMcap has statistics, channels and chunk indexes in its summary", async () => {
  const file = readFileSync(await recorded("index.mcap", frames, "zstd"));
  const readable = {
    size: async () => BigInt(file.length),
    read: async (from: bigint, length: bigint) => new Uint8Array(file.subarray(Number(from), Number(from + length))),
  };
  const reader = await McapIndexedReader.Initialize({ readable });
  expect(reader.statistics?.messageCount).toBe(18n);
  expect([...reader.channelsById.values()].map(({ topic }) => topic)).toContain("/depth/image");
  expect(reader.chunkIndexes.length).toBeGreaterThan(0);
});

describe("a pixel without colour (alpha 0)", () => {
  const colors = Uint8Array.from({ length: 48 * 36 * 4 }, (_, i) => ((i >> 2) % 3 === 0 ? 0 : (i * 31) | 1));
  for (let i = 3; i < colors.length; i += 4) colors[i] = (i >> 2) % 3 === 0 ? 0 : 255;
  const seen = frames.map((frame) => ({ ...frame, color: image(colors, [36, 48, 4]) }));

  test("comes back as a pixel without colour, from MCAP and from PNGs", async () => {
    const folder = join(disk.root, "gaps");
    await writePngFolder({ length: 1, fps: 30, read: async () => seen[0] as DepthFrame }, folder);
    for (const path of [await recorded("gaps.mcap", seen, "zstd"), folder]) {
      const recording = await disk.open(path);
      expect((await recording.read(0)).color?.data).toEqual(colors);
    }
  });

  test("is grey among points, and black in TUM's layout and LeRobot's, which is told", async () => {
    const recording = { length: 1, fps: 30, read: async () => seen[0] as DepthFrame };
    const ply = join(disk.root, "points");
    await writePoints(recording, ply);
    const bytes = readFileSync(join(ply, "points/000000.ply"));
    const at = bytes.indexOf("end_header\n") + "end_header\n".length;
    const first = (seen[0] as DepthFrame).depth.data.findIndex((depth) => depth > 0);
    expect([first % 3, ...bytes.subarray(at + 12, at + 15)]).toEqual([0, 0xb0, 0xb0, 0xb0]);
    const words = new Uint32Array(cloudOf(seen[0] as DepthFrame, true).data.buffer);
    expect([words[4 * first + 3], words[4 * first + 7]]).toEqual([
      0xb0b0b0,
      expect.not.toSatisfy((one) => one === 0xb0b0b0),
    ]);
    for (const write of [
      (losses: Losses) => writeTum(recording, join(disk.root, "tum"), { losses }),
      (losses: Losses) =>
        writeLerobot([{ recording, start: 0, count: 1 }], join(disk.root, "set"), { depth: "png", task: "", losses }),
    ]) {
      const losses = new Losses();
      await write(losses);
      expect(losses.lines.join()).toMatch(/pixels that the colour camera did not see become black/);
    }
  });

  test("is one only if another pixel has an alpha above 0; otherwise all pixels are opaque", () => {
    const of = (data: Uint8Array) =>
      colorOf({ width: 2, height: 1, encoding: "bgra8", step: 8, bigEndian: false, data }, "a").data;
    expect([...of(Uint8Array.of(1, 2, 3, 0, 4, 5, 6, 255))]).toEqual([3, 2, 1, 0, 6, 5, 4, 255]);
    expect([...of(Uint8Array.of(1, 2, 3, 0, 4, 5, 6, 0))]).toEqual([3, 2, 1, 255, 6, 5, 4, 255]);
  });
});

test("an organised cloud of one row may have invalid points, and says so", async () => {
  const depth = image(new Uint16Array(48), [1, 48]);
  const row = {
    ...(frames[0] as DepthFrame),
    depth,
    intrinsics: { ...frames[0]?.intrinsics, height: 1 },
  } as DepthFrame;
  const isDense = (organised: boolean) => cloudMessage({ sec: 0, nanosec: 0 }, cloudOf(row, organised)).at(-1);
  expect([isDense(true), isDense(false)]).toEqual([0, 1]);
});
