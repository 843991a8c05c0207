import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { encodeRvl } from "../../../sources/decode/rvl.ts";
import { colorPng, depthPng, depthValues, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { Bytes } from "../makers/bytes.ts";
import { adminOf, calibration, packedRow, rtabmapOf } from "../makers/rtabmap.ts";
import { floats } from "../makers/still.ts";

// RTAB-Map's databases: images, calibration, times and poses by its own tables.

const disk = useFolder();
const values = [0, 1, 2].map((i) => depthValues(i));
const rvl = (mm: Uint16Array): Uint8Array =>
  new Bytes().text("DEPTHRVL").u32(WIDTH, HEIGHT).bytes(encodeRvl(mm)).done();
/** Floats as OpenCV writes them into RGBA. */
function rgba(mm: Uint16Array): Uint8Array {
  const bytes = floats([...mm].map((value) => value / 1000));
  const data = new Uint8Array(bytes.map((_, i) => bytes[4 * (i >> 2) + [2, 1, 0, 3][i & 3]]));
  return encode({ width: WIDTH, height: HEIGHT, channels: 4, depth: 8, data });
}
const colors = [0, 1, 2].map((i) => colorPng(i, 3, 2 * WIDTH, 2 * HEIGHT));
const opened = async (...parts: Parameters<typeof rtabmapOf>) =>
  disk.open(disk.file("map.db", await rtabmapOf(...parts)));

test.each([
  ["PNGs", (mm: Uint16Array) => depthPng(mm)],
  ["RVL", rvl],
  ["floats in RGBA", rgba],
])("a map of depth as %s has depth, lens, times, poses and colour", async (_, encoded) => {
  const recording = await opened(values.map(encoded), colors);
  expect([recording.format, recording.length, recording.fps, recording.warnings]).toEqual(["rtabmap", 3, 2, []]);
  const frame = await recording.read(2);
  expect(frame.depth.data).toEqual(values[2]);
  expect(frame).toMatchObject({
    metresPerUnit: 0.001,
    timestamp: 2000,
    intrinsics: { fx: 9, fy: 9.5, cx: 3.25, cy: 2.25 },
  });
  // Two metres along the robot's x, the camera half a metre before it, and looking along x.
  expect(frame.pose?.slice(0, 4)).toEqual([0, 0, 1, 2.5]);
  expect(frame.color?.get(2, 3, 0)).toBe((2 + 9 * (5 * 2 * WIDTH + 7)) & 255);
});

test("calibration of before 0.18 is floats alone", async () => {
  const old = new Bytes().f32(9, 9.5, 3.25, 2.25, 7, 5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0).done();
  const frame = await (
    await opened(
      values.map((mm) => depthPng(mm)),
      [],
      old,
    )
  ).read(1);
  expect(frame).toMatchObject({ intrinsics: { fx: 9, cy: 2.25 } });
  expect([frame.pose?.[3], frame.color]).toEqual([1, undefined]);
});

test("each node has its own lens; a damaged one has the first one's and no pose, which is said", async () => {
  const other = calibration(0, new Uint8Array(), 18);
  const hex = (bytes: Uint8Array) => `x'${Buffer.from(bytes).toString("hex")}'`;
  const set = (id: number, bytes: Uint8Array) => `update Data set calibration = ${hex(bytes)} where id = ${id}`;
  const recording = await opened(
    values.map((mm) => depthPng(mm)),
    [],
    calibration(),
    set(2, other),
    set(3, other.subarray(0, -9)),
  );
  const frames = await Promise.all([0, 1, 2].map((i) => recording.read(i)));
  expect(frames.map(({ intrinsics, pose }) => [intrinsics.fx, pose?.[3]])).toEqual([
    [9, 0.5],
    [18, 1.5],
    [9, undefined],
  ]);
  expect(recording.warnings.join()).toContain("node 3: its calibration is damaged");
  const asked = await disk.open(disk.file("map.db", await rtabmapOf(pngs, [], calibration(), set(2, other))), {
    intrinsics: { fx: 5, fy: 5, cx: 3, cy: 2 },
  });
  expect((await asked.read(1)).intrinsics.fx).toBe(5);
});

const pngs = values.map((mm) => depthPng(mm));
const posesOf = async (...admin: readonly string[]) => {
  const recording = await opened(pngs, [], calibration(), ...admin);
  const poses = await Promise.all([0, 1, 2].map((i) => recording.pose(i)));
  const fact = recording.facts.find(({ what }) => what === "poses")?.value;
  return { poses: poses.map((pose) => pose && [pose[3], pose[7]]), fact, told: recording.warnings.join() };
};
const ODOMETRY = [0, 1, 2].map((i) => [i + 0.5, 0]);

test("the map's optimised poses come before odometry's; a node outside of the optimised graph has none", async () => {
  expect(await posesOf(...adminOf([1, 3, 7]))).toEqual({
    poses: [[0.5, 10], undefined, [0.5, 30]],
    fact: "2 of 3 frames, optimised by the map's loops",
    told: "",
  });
});

test.each<[string, readonly string[], string]>([
  ["are not there", [], ""],
  ["are not saved", ["create table Admin (opt_ids blob, opt_poses blob)"], ""],
  ["have another type", adminOf([1], packedRow(new Bytes().u32(1).done(), 5)), "damaged"],
  ["are cut short", adminOf([1], undefined, packedRow(new Bytes().f32(1, 0, 0).done(), 5, 12)), "damaged"],
  ["are fewer than their ids", adminOf([1, 2], undefined, packedRow(new Uint8Array(48), 5)), "damaged"],
])("where optimised poses %s, odometry's are used and said", async (_, admin, told) => {
  const found = await posesOf(...admin);
  expect([found.poses, found.fact]).toEqual([ODOMETRY, "all frames, odometry's, which no loop corrects"]);
  expect(found.told).toContain(told);
});

describe("a map is refused", () => {
  test.each<[string, Parameters<typeof rtabmapOf>, RegExp]>([
    ["of a stereo camera", [pngs, [], calibration(1)], /stereo camera in place of depth/],
    ["of several cameras", [pngs, [], calibration(0, calibration())], /several cameras, side by side/],
    ["with damaged calibration", [pngs, [], calibration().slice(0, 50)], /node 1: its calibration is damaged/],
    ["without depth", [pngs, [], calibration(), "update Data set depth = null"], /none of its 0 nodes has depth/],
    [
      "whose table computes",
      [
        pngs,
        [],
        calibration(),
        "drop table Node",
        "create table Node (id integer primary key, stamp float as (1.0), pose blob)",
      ],
      /tables are not as RTAB-Map defines/,
    ],
    ["whose first image is damaged", [[rvl(values[0]).slice(0, 20)], []], /depth of node 1: this RVL image is damaged/],
  ])("%s", async (_, parts, why) => {
    await expect(opened(...parts)).rejects.toThrow(why);
  });

  test("not, where a later image is damaged, which costs its frame", async () => {
    const recording = await opened([pngs[0], pngs[1].slice(0, 60)], []);
    await expect(recording.read(1)).rejects.toThrow(/depth of node 2/);
  });
});
