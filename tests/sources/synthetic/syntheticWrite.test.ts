import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decode } from "fast-png";
import ndarray from "ndarray";
import { afterAll, describe, expect, test } from "vitest";
import { framesIn, writers } from "../../../run/convert/folders.ts";
import { openRecording, SourceError } from "../../../sources/index.ts";
import { syntheticRoom } from "../../../sources/synthetic/index.ts";
import { colorPng, depthPng, type Writable, writePngFolder, writeTum } from "../../../write/index.ts";

const home = mkdtempSync(join(tmpdir(), "depthloom-write-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let count = 0;
const fresh = () => join(home, String(count++));
const lines = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

const room = syntheticRoom({ width: 48, height: 36, fps: 30, frames: 5, cameraMotion: "sway" });

describe("a TUM folder by writeTum", () => {
  const path = fresh();
  const written = writeTum(room, path);

  test("holds 16-bit depth, 5000 to the metre, and 8-bit RGB", async () => {
    await written;
    const frame = await room.read(3);
    const depth = decode(readFileSync(join(path, "depth/0.100000.png")), { checkCrc: true });
    expect(depth).toMatchObject({ width: 48, height: 36, depth: 16, channels: 1 });
    expect(depth.data).toEqual(frame.depth.data.map((units) => 5 * units));
    const rgb = decode(readFileSync(join(path, "rgb/0.100000.png")), { checkCrc: true });
    expect(rgb).toMatchObject({ width: 48, height: 36, depth: 8, channels: 3 });
    expect([...rgb.data]).toEqual([...(frame.color?.data ?? [])].filter((_, i) => i % 4 < 3));
  });

  test("has the camera's poses in groundtruth.txt, as positions and unit quaternions", async () => {
    await written;
    const rows = lines(join(path, "groundtruth.txt")).map((line) => line.split(" ").map(Number));
    expect(rows).toHaveLength(5);
    for (const [i, [time, tx, ty, tz, x, y, z, w]] of rows.entries()) {
      expect(time).toBeCloseTo(i / 30, 5);
      expect(Math.hypot(x, y, z, w)).toBeCloseTo(1, 5);
      const m = await room.pose(i);
      [m[3], m[7], m[11]].forEach((value, k) => {
        expect([tx, ty, tz][k]).toBeCloseTo(value, 5);
      });
      // The optical axis after rotation by the quaternion.
      const axis = [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)];
      [m[2], m[6], m[10]].forEach((value, k) => {
        expect(axis[k]).toBeCloseTo(value, 5);
      });
    }
  });

  test("opens again with the same depth, colour, lens and poses", async () => {
    await written;
    await using again = await openRecording(path);
    expect(again).toMatchObject({ format: "tum", length: 5, fps: 30, warnings: [] });
    const [frame, original] = [await again.read(2), await room.read(2)];
    expect(frame.intrinsics).toEqual(original.intrinsics);
    expect(frame.depth.data).toEqual(original.depth.data.map((units) => 5 * units));
    expect(frame.color?.data).toEqual(original.color?.data);
    const [pose, expected] = [await again.pose(2), await room.pose(2)];
    expected.forEach((value, i) => {
      expect(pose?.[i]).toBeCloseTo(value, 5);
    });
  });
});

test("a folder of PNGs by writePngFolder opens again with the same depth, lens, rate and unit", async () => {
  const fine = syntheticRoom({ width: 31, height: 17, fps: 12, frames: 3, metresPerUnit: 0.00025 });
  const path = fresh();
  expect(await writePngFolder(fine, path)).toBe(3);
  expect(JSON.parse(readFileSync(join(path, "recording.json"), "utf8"))).toMatchObject({
    metresPerUnit: 0.00025,
    fps: 12,
  });
  expect(readdirSync(join(path, "depth")).sort()).toEqual(["000000.png", "000001.png", "000002.png"]);
  expect(readdirSync(join(path, "color"))).toHaveLength(3);
  await using again = await openRecording(path);
  expect(again).toMatchObject({ format: "png", length: 3, fps: 12, warnings: [] });
  const [frame, original] = [await again.read(1), await fine.read(1)];
  expect(frame.depth.data).toEqual(original.depth.data);
  expect(frame.intrinsics).toEqual(original.intrinsics);
  expect(frame.metresPerUnit).toBe(0.00025);
});

describe("writing a folder", () => {
  const timed = (times: readonly number[]): Writable => ({
    fps: 30,
    length: times.length,
    read: async (index) => ({ ...(await room.read(0)), index, timestamp: times[index] }),
    pose: () => room.pose(0),
  });

  test.each([
    [[0, 33, 66, 33], 0],
    [[0, 33, 33, 66], 2],
  ])(
    "of TUM refuses a frame with a time that was written before: %j, %i of them by another run",
    async (times, done) => {
      const path = fresh();
      if (done > 0) await writers.tum(timed(times), path, { count: done });
      await expect(writers.tum(timed(times), path, { done })).rejects.toThrow(/frame \d has the time stamp of a frame/);
    },
  );

  test("of TUM goes on behind frames whose times run back", async () => {
    const [path, times] = [fresh(), [0, 33, 66, 10, 43, 76]];
    await writers.tum(timed(times), path, { count: 4 });
    appendFileSync(join(path, "rgb.txt"), "0.043000 rgb/0.043000.png\n");
    appendFileSync(join(path, "groundtruth.txt"), "0.043000 0 0");
    const done = await framesIn("tum", path);
    expect([done, await writers.tum(timed(times), path, { done })]).toEqual([4, 6]);
    for (const name of ["depth.txt", "rgb.txt", "groundtruth.txt"])
      expect(lines(join(path, name)).map((line) => 1000 * parseFloat(line))).toEqual(times);
  });

  test("calls onFrame with the number of frames done and in all", async () => {
    const told: string[] = [];
    await writePngFolder(room, fresh(), { count: 3, onFrame: (done, total) => told.push(`${done}/${total}`) });
    expect(told).toEqual(["1/3", "2/3", "3/3"]);
  });

  test("fails with the reader's error, and each file listed before exists", async () => {
    const path = fresh();
    const failing: Writable = {
      ...room,
      read: (index) => (index === 2 ? Promise.reject(new SourceError("frame 2 is damaged")) : room.read(index)),
    };
    await expect(writeTum(failing, path)).rejects.toThrow("frame 2 is damaged");
    for (const line of lines(join(path, "depth.txt"))) {
      expect(existsSync(join(path, line.split(" ")[1])), line).toBe(true);
    }
  });
});

test.each([
  [1, 1],
  [3, 2],
  [257, 3],
])("PNGs by depthPng and colorPng of %i × %i pixels decode to the values written", async (width, height) => {
  const depth = Uint16Array.from({ length: width * height }, (_, i) => (i * 40503) & 65535);
  const color = Uint8Array.from({ length: width * height * 4 }, (_, i) => (i % 4 === 3 ? 255 : (i * 151) & 255));
  const grey = decode(await depthPng(ndarray(depth, [height, width])), { checkCrc: true });
  expect([grey.depth, grey.channels, grey.data]).toEqual([16, 1, depth]);
  const rgb = decode(await colorPng(ndarray(color, [height, width, 4])), { checkCrc: true });
  expect([...rgb.data]).toEqual([...color].filter((_, i) => i % 4 < 3));
});
