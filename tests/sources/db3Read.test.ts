import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRecording } from "../../sources/index.ts";
import { zstandard } from "./logs/compress.ts";
import { db3Of } from "./logs/db3.ts";
import * as made from "./logs/frames.ts";
import { depthUnits, HEIGHT, LENS, WIDTH } from "./logs/frames.ts";
import type { Entry } from "./logs/mcap.ts";
import * as write from "./logs/messages.ts";
import { readAll } from "./logs/read.ts";

// ROS 2 bags in SQLite, with the definitions of their messages and without: each comes back bit for bit.

const timeOf = (index: number) => 1_650_000_000_000 + index * 50;
const entries: Entry[] = [
  { topic: "/depth/camera_info", time: timeOf(0), message: write.ros2Lens() },
  ...Array.from({ length: 9 }, (_, i) => ({
    topic: "/depth/image_rect_raw",
    time: timeOf(8 - i),
    message: write.ros2Image({ encoding: "16UC1", data: made.rows16(depthUnits(8 - i)) }),
  })),
];
const expected = Array.from({ length: 9 }, (_, i) => ({
  depth: [...depthUnits(i)],
  color: undefined,
  timestamp: timeOf(i),
  metresPerUnit: 0.001,
  intrinsics: { ...LENS, width: WIDTH, height: HEIGHT },
}));

test.each([
  ["without definitions", false, false],
  ["with definitions", true, false],
  ["in WAL mode", false, true],
  ["with each message packed", false, false, zstandard],
] as const)("%s", async (_, definitions, wal, pack?: (data: Uint8Array) => Uint8Array) => {
  const told = await readAll(await db3Of(entries, definitions, wal, pack), "a.db3");
  expect(told).toMatchObject({ format: "db3", fps: 20, warnings: [], topics: ["/depth/image_rect_raw"] });
  expect(told.frames).toEqual(expected);
});

test("from a disk it is read where it lies, two at a time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "depthloom-db3-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.db3"), await db3Of(entries));
  const both = await Promise.all([openRecording(join(folder, "a.db3")), openRecording(join(folder, "a.db3"))]);
  for (const recording of both) {
    const { depth } = await recording.read(4);
    expect([...depth.data]).toEqual([...depthUnits(4)]);
  }
  await Promise.all(both.map((recording) => recording.close()));
  expect("FileReaderSync" in globalThis).toBe(false);
});

describe("the folder that rosbag2 makes", () => {
  const info = new File(["rosbag2_bagfile_information:\n"], "metadata.yaml");
  const at = (path: string, file: File) => Object.defineProperty(file, "webkitRelativePath", { value: path });

  test("opens as the one bag in it, from a disk and in a page", async () => {
    const folder = mkdtempSync(join(tmpdir(), "depthloom-db3-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const bag = await db3Of(entries);
    writeFileSync(join(folder, "bag_0.db3"), bag);
    writeFileSync(join(folder, "metadata.yaml"), await info.text());
    const dropped = [at("bag/bag_0.db3", new File([bag], "bag_0.db3")), at("bag/metadata.yaml", info)];
    for (const input of [folder, dropped]) {
      const recording = await openRecording(input);
      expect([recording.name, recording.format, recording.length]).toEqual(["bag_0.db3", "db3", 9]);
      expect([...(await recording.read(4)).depth.data]).toEqual([...depthUnits(4)]);
      await recording.close();
    }
  });

  test("split into several, it says which there are", async () => {
    const parts = ["bag_0.mcap", "bag_1.mcap"].map((name) => at(`bag/${name}`, new File(["x"], name)));
    await expect(openRecording([...parts, info])).rejects.toThrow("(bag_0.mcap, bag_1.mcap)");
  });
});

test("a packed message that is damaged, or does not say its length, says so", async () => {
  const damage = (change: (bytes: Uint8Array) => void) => (data: Uint8Array) => {
    const bytes = Uint8Array.from(zstandard(data));
    change(bytes);
    return bytes;
  };
  const cut = await db3Of(entries, false, false, (data) => zstandard(data).subarray(0, 30));
  await expect(readAll(cut, "a.db3")).rejects.toThrow(/message 0: .* is damaged|message 0: .*(ends|cut)/);
  const mute = damage((bytes) => bytes.set([0, 0x50], 4));
  await expect(readAll(await db3Of(entries, false, false, mute), "a.db3")).rejects.toThrow(
    "does not say how long it is",
  );
});

test("another database, and a damaged one, say so", async () => {
  const whole = await db3Of(entries);
  await expect(readAll(whole.slice(0, 3000), "a.db3")).rejects.toThrow(/a\.db3: SQLite cannot read it/);
  const empty = await db3Of([]);
  await expect(readAll(empty, "a.db3")).rejects.toThrow(/no depth topic is in it/);
});
