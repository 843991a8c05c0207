import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRecording } from "../../sources/index.ts";
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
])("%s", async (_, definitions, wal) => {
  const told = await readAll(await db3Of(entries, definitions, wal), "a.db3");
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

test("another database, and a damaged one, say so", async () => {
  const whole = await db3Of(entries);
  await expect(readAll(whole.slice(0, 3000), "a.db3")).rejects.toThrow(/a\.db3: SQLite cannot read it/);
  const empty = await db3Of([]);
  await expect(readAll(empty, "a.db3")).rejects.toThrow(/no depth topic is in it/);
});
