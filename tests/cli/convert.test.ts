import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import { McapStreamReader, type McapTypes } from "@mcap/core";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { image } from "../../core/frame.ts";
import { type ConvertRequest, convert } from "../../run/convert/convert.ts";
import { kindOf } from "../../run/convert/kinds.ts";
import { MANIFEST } from "../../run/report/ownFolder.ts";
import { loadUnpacker } from "../../sources/decode/unpack.ts";
import { openRecording } from "../../sources/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { sampled, slowTest } from "../mode.ts";
import { useFolder } from "../sources/fixtures.ts";
import { built, depthloom, hashOf, start } from "./command.ts";

// convert writes a recording in each format, from which the same bits are read; goes on after a stop at any moment; and touches no
// file of others.

const disk = useFolder();
const COUNT = 12;
const room = syntheticRoom({ width: 80, height: 60, frames: COUNT, cameraMotion: "sway" });
const recording = join(disk.root, "room");
await writePngFolder(room, recording, { truth: false });
const place = (name: string) => join(disk.root, name);

async function zstd() {
  const unpack = await loadUnpacker("zstd");
  if (!unpack) throw new Error("no zstd");
  return (data: Uint8Array, size: bigint) => unpack(data, Number(size));
}

/** Converts without the command line. */
async function converted(input: string, name: string, more: Partial<ConvertRequest> = {}) {
  const out = place(name);
  const kind = kindOf(out, more.kind);
  const source = await openRecording(input);
  const plain = { codec: "zstd", start: 0, frames: undefined, force: false } as const;
  const request: ConvertRequest = { input, out, ...plain, ...more, kind };
  const listener = { signal: new AbortController().signal, onFrame() {}, onResume() {} };
  return { out, ...(await convert(source, request, listener).finally(() => source.close())) };
}

test("more images than a .zip holds are refused before one is written", async () => {
  const room = syntheticRoom({ width: 8, height: 6, frames: 33_000 });
  const source = Object.assign(room, { warnings: [] });
  const request = { input: recording, out: place("many.zip"), kind: "zip", codec: "zstd", start: 0 } as const;
  const listener = { signal: new AbortController().signal, onFrame() {}, onResume() {} };
  const work = convert(source, { ...request, frames: undefined, force: false }, listener);
  await expect(work).rejects.toThrow("a .zip holds 65000 files, and there are more images");
  expect(existsSync(place("many.zip.partial"))).toBe(false);
});

test.each([
  ["room.mcap", {}, "mcap", 1],
  ["rvl.mcap", { codec: "rvl" }, "mcap", 1],
  ["png.mcap", { codec: "png" }, "mcap", 1],
  ["v2.mcap", { codec: "v2" }, "mcap", 1],
  ["room.zip", {}, "png", 1],
  ["pngs", { kind: "png" }, "png", 1],
  ["npys", { kind: "npy" }, "png", 1],
  ["tiffs", { kind: "tiff" }, "png", 1],
  // TUM's unit is a fifth of a millimetre.
  ["tum", {}, "tum", 5],
] as const)(
  "convert to %s %j gives a recording with the same depth, colour, times, poses and lens",
  async (name, more, format, units) => {
    const { out, done, of } = await converted(recording, name, more);
    expect([done, of]).toEqual([COUNT, COUNT]);
    await using again = await openRecording(out);
    expect(again).toMatchObject({ format, length: COUNT });
    for (let i = 0; i < COUNT; i++) {
      const [frame, original] = [await again.read(i), await room.read(i)];
      const depth = original.depth.data.map((value) => units * value);
      expect(Buffer.from(frame.depth.data).equals(Buffer.from(depth))).toBe(true);
      expect(frame.metresPerUnit).toBeCloseTo(original.metresPerUnit / units, 12);
      expect(Buffer.compare(frame.color?.data ?? Buffer.of(), original.color?.data ?? Buffer.of())).toBe(0);
      expect(frame.timestamp).toBeCloseTo(original.timestamp, 3);
      expect(frame.intrinsics).toEqual(original.intrinsics);
      expect(await again.pose(i)).toEqual((await room.pose?.(i))?.map((value) => expect.closeTo(value, 5)));
    }
    expect(readdirSync(disk.root).filter((one) => one.includes(".partial"))).toEqual([]);
  },
);

test("convert to ply writes the points of all valid pixels, in metres", async () => {
  const { out } = await converted(recording, "points", { kind: "ply", frames: 2 });
  expect(readdirSync(join(out, "points"))).toEqual(["000000.ply", "000001.ply"]);
  const ply = readFileSync(join(out, "points", "000001.ply"));
  const { depth, metresPerUnit, intrinsics } = await room.read(1);
  const end = ply.indexOf("end_header\n") + 11;
  expect(ply.toString("latin1", 0, end)).toContain(
    `element vertex ${depth.data.filter((value) => value > 0).length}\n`,
  );
  const first = depth.data.findIndex((value) => value > 0);
  const z = (depth.data[first] ?? 0) * metresPerUnit;
  const { fx, fy, cx, cy, width } = intrinsics;
  const wanted = [(((first % width) - cx) * z) / fx, ((Math.floor(first / width) - cy) * z) / fy, z];
  for (const [axis, value] of wanted.entries()) expect(ply.readFloatLE(end + 4 * axis)).toBeCloseTo(value, 5);
});

test("convert --points adds foxglove.PointCloud to an .mcap, with the camera's colours", async () => {
  const { out } = await converted(recording, "cloud.mcap", { points: true, frames: 2 });
  const again = await disk.open(out);
  expect((await again.read(1)).depth.data).toEqual((await room.read(1)).depth.data);
  const reader = new McapStreamReader({ decompressHandlers: { zstd: await zstd() } });
  reader.append(readFileSync(out));
  const clouds: { point_stride: number; fields: { name: string; offset: number }[]; data: Uint8Array }[] = [];
  let [schema, channel]: [McapTypes.Schema | undefined, number] = [undefined, -1];
  for (let record = reader.nextRecord(); record; record = reader.nextRecord()) {
    if (record.type === "Schema" && record.name === "foxglove_msgs/msg/PointCloud") schema = record;
    if (record.type === "Channel" && record.topic === "/depth/points") channel = record.id;
    if (record.type !== "Message" || record.channelId !== channel || !schema) continue;
    const definition = parse(new TextDecoder().decode(schema.data), { ros2: true });
    clouds.push(new MessageReader(definition).readMessage(record.data));
  }
  const { depth, metresPerUnit, color } = await room.read(1);
  const first = depth.data.findIndex((value) => value > 0);
  const [, { point_stride: step, fields, data } = {}] = clouds;
  if (!data || !fields) throw new Error("no points");
  expect([clouds.length, step, data.length]).toEqual([2, 16, 16 * depth.data.filter((value) => value > 0).length]);
  const at = (name: string) => fields.find((field) => field.name === name)?.offset ?? -1;
  const view = new DataView(data.buffer, data.byteOffset);
  expect(view.getFloat32(at("z"), true)).toBeCloseTo((depth.data[first] ?? 0) * metresPerUnit, 5);
  const rgb = color?.data.slice(4 * first, 4 * first + 3) ?? [];
  expect(["red", "green", "blue"].map((name) => data[at(name)])).toEqual([...rgb]);
});

test("convert to pcd writes a point for each pixel, which PCL's header describes", async () => {
  const { out } = await converted(recording, "clouds", { kind: "pcd", frames: 2 });
  const pcd = readFileSync(join(out, "points", "000001.pcd"));
  const { depth, metresPerUnit, intrinsics, color } = await room.read(1);
  const { width, height, fx, cx } = intrinsics;
  const end = pcd.indexOf("DATA binary\n") + 12;
  const lines = pcd.toString("latin1", 0, end).split("\n");
  expect(lines).toEqual(expect.arrayContaining(["FIELDS x y z rgb", `WIDTH ${width}`, `HEIGHT ${height}`]));
  expect(pcd.length - end).toBe(16 * width * height);
  const place = (await room.pose?.(1))?.filter((_, i) => i % 4 === 3).slice(0, 3);
  const [, ...seenFrom] = /^VIEWPOINT (\S+) (\S+) (\S+)/m.exec(lines.join("\n")) ?? [];
  expect(seenFrom.map(Number)).toEqual(place?.map((value) => expect.closeTo(value, 5)));
  expect(readFileSync(join(out, "times.csv"), "utf8").split("\n")[2]).toMatch(/^33\.3+[^,]*(,[-\d.e]+){7}$/);
  for (const i of [0, depth.data.findIndex((value) => value > 0), depth.data.length - 1]) {
    const z = depth.data[i] ? (depth.data[i] ?? 0) * metresPerUnit : Number.NaN;
    const at = end + 16 * i;
    expect([pcd.readFloatLE(at), pcd.readFloatLE(at + 8)]).toEqual(
      Number.isNaN(z) ? [z, z] : [expect.closeTo(((i % width) - cx) * (z / fx), 5), expect.closeTo(z, 5)],
    );
    expect([pcd[at + 14], pcd[at + 13], pcd[at + 12]]).toEqual([...(color?.data.slice(4 * i, 4 * i + 3) ?? [])]);
  }
});

describe("convert, stopped in the middle,", () => {
  // The recording is large enough for a stop in the middle of its conversion.
  const long = place("long");
  beforeAll(() => built());
  const scene = syntheticRoom({ width: 200, height: 150, frames: 30, cameraMotion: "sway" });
  const begun = writePngFolder(scene, long, { truth: false });

  test.each(sampled(["tum", "whole.mcap", "whole.zip"]))(
    "resumes %s after SIGKILL and ends with the same recording",
    async (name) => {
      await begun;
      const { out: whole } = await converted(long, `one-go-${name}`);
      const out = place(`stopped-${name}`);
      const partial = `${out}.partial`;
      const { child, ended } = start(["convert", long, out]);
      const size = () => (existsSync(partial) ? (statSync(partial).isFile() ? 1 : readdirSync(partial).length) : 0);
      await vi.waitUntil(() => size() > 0 || child.exitCode !== null, { interval: 2, timeout: 30_000 });
      child.kill("SIGKILL");
      await ended;
      if (!existsSync(out)) await converted(long, `stopped-${name}`);
      const [a, b] = [await openRecording(whole), await openRecording(out)];
      expect(b.length).toBe(a.length);
      for (let i = 0; i < a.length; i += 3) {
        const [one, other] = [await a.read(i), await b.read(i)];
        expect(Buffer.from(one.depth.data.buffer).equals(Buffer.from(other.depth.data.buffer))).toBe(true);
        expect([other.timestamp, other.color !== undefined]).toEqual([one.timestamp, one.color !== undefined]);
      }
      await a.close();
      await b.close();
      // A resumed MCAP file has other bounds of chunks.
      if (name !== "whole.mcap") expect(hashOf(out)).toBe(hashOf(whole));
    },
  );

  slowTest("by Ctrl-C says how to resume", async () => {
    await begun;
    const out = place("interrupted.mcap");
    const { child, ended } = start(["convert", long, out]);
    await vi.waitUntil(() => existsSync(`${out}.partial`) || child.exitCode !== null, { interval: 2, timeout: 30_000 });
    child.kill("SIGINT");
    const { status, stderr } = await ended;
    expect([status, stderr]).toEqual([
      130,
      expect.stringMatching(
        /frames written \(mcap\); the same command goes on from there\ndepthloom: interrupted (after \d+ of 30 frames|before the first frame was done); .*\.partial keeps them\n$/,
      ),
    ]);
    expect(existsSync(out)).toBe(false);
  });
});

describe("convert", () => {
  test("replaces no existing file, and with --force only one that depthloom wrote", async () => {
    const again = () => converted(recording, "again.zip", { frames: 1 });
    await again();
    await expect(again()).rejects.toThrow(/it exists already/);
    await converted(recording, "again.zip", { frames: 2, force: true });
    writeFileSync(place("mine.zip"), "mine");
    await expect(converted(recording, "mine.zip", { force: true })).rejects.toThrow(
      /this file was not written by depthloom/,
    );
    expect(readFileSync(place("mine.zip"), "utf8")).toBe("mine");
  });

  test("with --force leaves files of others in a folder", async () => {
    const { out } = await converted(recording, "folder", { frames: 2 });
    writeFileSync(join(out, "mine.txt"), "mine");
    await converted(recording, "folder", { kind: "png", frames: 1, force: true });
    expect(readdirSync(out).sort()).toEqual([MANIFEST, "color", "depth", "mine.txt", "recording.json", "times.csv"]);
  });

  test("never writes into the input or over another conversion's partial result", async () => {
    await expect(converted(recording, "room/x")).rejects.toThrow(/it is in the input|the input is in it/);
    writeFileSync(`${place("other.mcap")}.partial`, "x");
    await expect(converted(recording, "other.mcap")).rejects.toThrow(/of another run is there; move it away/);
  });
});

test.each([
  [["--to", "zip"], "folder", /--to zip: this kind is a file: give it a name that ends with \.zip/],
  [[], "points.ply", /points\.ply: no \.ply file is written; give a name that ends with \.mcap/],
  [["--start", "99"], "x.mcap", /start 99: .*room has 12 frames/],
])("convert %j to %s is wrong usage", async (more, out, message) => {
  const { status, stderr } = await depthloom("convert", recording, place(out), ...more);
  expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test("convert warns of pixels that are too far for the format, with their number", async () => {
  const far = place("far");
  const read = async (index: number) => {
    const frame = await room.read(index);
    const depth = image(frame.depth.data.slice().fill(20_000, 0, 50), [...frame.depth.shape]);
    return { ...frame, depth, metresPerUnit: 0.001 };
  };
  await writePngFolder({ fps: 30, length: 2, read }, far, { truth: false });
  const { status, stderr } = await depthloom("convert", far, place("far.tum"), "--to", "tum");
  expect(status).toBe(0);
  expect(stderr).toMatch(/warning: 100 pixels of 2 frames are too far to be written .*13\.1 m.*20\.0 m/);
});
