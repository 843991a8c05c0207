import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type DepthFrame, image } from "../../../core/frame.ts";
import { writers } from "../../../run/convert/folders.ts";
import { FrameMessages } from "../../../write/frameMessages.ts";
import type { Writable } from "../../../write/frames.ts";
import { Losses, writePngFolder, writeTum } from "../../../write/index.ts";
import { stampOf } from "../../../write/ros2.ts";
import { useFolder } from "../fixtures.ts";

// Each writer counts the values that its layout cannot hold, and tells the losses in words.

const disk = useFolder();
const fresh = () => mkdtempSync(join(disk.root, "out-"));

interface Given {
  readonly units?: readonly number[];
  readonly times?: readonly number[];
  readonly unit?: number;
  readonly poses?: boolean;
}

/** Frames of one row of depth each. */
function recordingOf({ units = [1000], times = [0, 100, 200], unit = 0.001, poses = false }: Given): Writable {
  const read = async (index: number): Promise<DepthFrame> => ({
    depth: image(Uint16Array.from(units), [1, units.length]),
    metresPerUnit: unit,
    intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width: units.length, height: 1 },
    timestamp: times[index],
    index,
  });
  const pose = async () => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  return { fps: 10, length: times.length, read, ...(poses && { pose }) };
}

async function lostBy(write: typeof writeTum, given: Given): Promise<readonly string[]> {
  const losses = new Losses();
  await write(recordingOf(given), fresh(), { losses, truth: false });
  return losses.lines;
}

test("writeTum tells of depth beyond 13.1 m, and of depth that it rounds", async () => {
  expect(await lostBy(writeTum, { units: [0, 13_107, 13_108, 20_000] })).toEqual([
    "6 pixels of 3 frames are too far to be written (16 bits hold up to 13.1 m here, the farthest is 20.0 m); they become 0, no measurement",
  ]);
  expect(await lostBy(writeTum, { units: [0, 1, 13_107] })).toEqual([]);
  expect(await lostBy(writeTum, { units: [1000], unit: 0.00025 })).toEqual([
    "depth in units of 0.25 mm is rounded to units of 0.2 mm",
  ]);
  // 0.1 mm is half a unit and rounds up to 1; less rounds to 0.
  expect((await lostBy(writeTum, { units: [1], unit: 0.00005 })).join()).toMatch(/3 pixels of 3 frames/);
});

test("writePngFolder tells of times and of poses, which it does not keep", async () => {
  expect(await lostBy(writePngFolder, { times: [5, 104, 205, 300] })).toEqual([]);
  expect(await lostBy(writePngFolder, { times: [0, 100, 250, 350], poses: true })).toEqual([
    expect.stringMatching(/^the camera's poses are not kept/),
    "only the frame rate is kept, so that the times of 2 frames become up to 50 ms earlier or later; a TUM folder, which holds PNGs as well, and MCAP keep times",
  ]);
  expect(await lostBy(writePngFolder, { times: [800, 900, 1000] })).toEqual([
    "the first frame's time, 0.8 s, is not kept and becomes 0 s; a TUM folder, which holds PNGs as well, and MCAP keep times",
  ]);
});

test("writePngFolder and writeTum tell that they keep the first frame's lens alone", async () => {
  const given = recordingOf({});
  const read = async (index: number) => {
    const frame = await given.read(index);
    return { ...frame, intrinsics: { ...frame.intrinsics, fx: index === 2 ? 2 : 1 } };
  };
  for (const write of [writePngFolder, writeTum]) {
    const losses = new Losses();
    await write({ ...given, read }, fresh(), { losses, truth: false });
    expect(losses.lines).toEqual([
      expect.stringMatching(/^the frames differ in size or lens, .*; MCAP keeps each lens$/),
    ]);
  }
});

test("writers.ply tells of times and of poses, which it does not keep", async () => {
  const losses = new Losses();
  const given = recordingOf({ times: [0, 300, 400], poses: true });
  await writers.ply(given as Parameters<typeof writers.ply>[0], fresh(), { losses });
  expect(losses.lines).toHaveLength(2);
});

test("FrameMessages tells of depth that does not fit into the unit of the first frame", async () => {
  const losses = new Losses();
  const messages = new FrameMessages({}, losses);
  await messages.of(await recordingOf({}).read(0), stampOf(0));
  expect(losses.lines).toEqual([]);
  await messages.of(await recordingOf({ unit: 0.01, units: [60_000, 10] }).read(0), stampOf(0));
  expect(losses.lines).toEqual([
    expect.stringMatching(/^1 pixel of 1 frame is too far to be written.*65\.5 m here, the farthest is 600\.0 m/),
  ]);
});
