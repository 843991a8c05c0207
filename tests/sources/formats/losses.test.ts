import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type DepthFrame, image } from "../../../core/frame.ts";
import { openPath } from "../../../sources/files/node.ts";
import { timesNamed } from "../../../sources/recorded/beside/timesFile.ts";
import { FrameMessages } from "../../../write/frameMessages.ts";
import type { Writable } from "../../../write/frames.ts";
import { Losses, writePngFolder, writePoints, writeTum } from "../../../write/index.ts";
import { stampOf } from "../../../write/ros2.ts";
import { useFolder } from "../fixtures.ts";

// Each writer counts the values that its layout cannot hold, and tells the losses in words.

const disk = useFolder();
const fresh = () => mkdtempSync(join(disk.root, "out-"));

interface Given {
  readonly units?: readonly number[];
  readonly times?: readonly number[];
  readonly unit?: number;
}

/** Frames of one row of depth each. */
function recordingOf({ units = [1000], times = [0, 100, 200], unit = 0.001 }: Given): Writable {
  const read = async (index: number): Promise<DepthFrame> => ({
    depth: image(Uint16Array.from(units), [1, units.length]),
    metresPerUnit: unit,
    intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width: units.length, height: 1 },
    timestamp: times[index],
    index,
  });
  return { fps: 10, length: times.length, read };
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
  expect((await lostBy(writeTum, { units: [1], unit: 0.00005 })).join()).toMatch(
    /3 pixels of 3 frames are nearer than half a unit/,
  );
});

const rows = "time_ms,x,y,z,qx,qy,qz,qw\n800.25,0,0,0,0,0,0,1\n900,,,,,,,\n1000.5,0.5,0,0,0,0,0,1\n";

const times = [800.25, 900, 1000.5];
const pose = async (i: number) => (i === 1 ? undefined : [1, 0, 0, i / 4, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
const posed = { ...recordingOf({ times }), pose };
const poses = Promise.all([0, 1, 2].map(pose));

test.each(["png", "npy", "tiff"] as const)(
  "a folder of .%s keeps times and poses, also of frames of which some have none, and they are read again",
  async (images) => {
    const [losses, path] = [new Losses(), fresh()];
    await writePngFolder(posed, path, { losses, images });
    expect(losses.lines).toEqual([]);
    expect(readFileSync(join(path, "times.csv"), "utf8")).toBe(rows);
    const again = await disk.open(path);
    expect(await Promise.all([0, 1, 2].map((i) => again.pose(i)))).toEqual(await poses);
    expect([0, 1, 2].map((i) => again.timestampOf(i))).toEqual(times);
  },
);

test.each(["ply", "pcd"] as const)("the times and poses beside .%s are read as those beside images", async (format) => {
  const path = fresh();
  await writePoints(posed, path, { format });
  const files = await openPath(path);
  if (!("list" in files)) throw new Error("no folder");
  expect(await timesNamed(files, "times.csv", 3)).toEqual({ times, poses: await poses });
});

test.each([
  ["too few rows", rows.replace("900,,,,,,,\n", ""), /times\.csv: it has 2 rows for 3 depth images/],
  ["too many rows", `${rows}5\n5\n`, /times\.csv: it has more rows for 3 depth images/],
  ["another heading", rows.slice(8), /times\.csv: its first line has to be time_ms,x,y,z/],
  ["no time", rows.replace("900", "soon"), /times\.csv, line 3: "soon" is no time in ms/],
  ["half a pose", rows.replace("900", "900,1,2"), /times\.csv, line 3: .*expected/],
])("a times.csv with %s is refused", async (_, text, why) => {
  const path = fresh();
  await writePngFolder(recordingOf({}), path);
  writeFileSync(join(path, "times.csv"), text);
  await expect(disk.open(path)).rejects.toThrow(why);
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
