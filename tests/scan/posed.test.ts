import { expect, test } from "vitest";
import { image } from "../../core/array.ts";
import { compose, invert, rigid } from "../../core/pose.ts";
import { scan } from "../../scan/index.ts";
import { shiftM } from "../../scan/place/way.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";

// Scans of recordings that say less than they seem to: poses of some frames alone, wrong poses, hardly any depth.

const desk = (frames: number) =>
  syntheticRoom({ scene: "desk", width: 160, height: 120, frames, cameraMotion: "handheld", noise: false });

test("frames between a recording's poses are left out; poses that begin late are tied to what was tracked before", async () => {
  const room = desk(40);
  const read = async (index: number) => {
    const pose = await room.pose(index);
    return { ...(await room.read(index)), ...(index >= 12 && index < 30 && { pose }) };
  };
  const source = { ...room, read };
  const { poses, unplaced } = await scan(source, { voxelM: 0.02, backend: "cpu" });
  expect([poses.length, unplaced]).toEqual([30, 10]);
  const truth = await Promise.all(poses.map(async (_, i) => Float64Array.from(await room.pose(i))));
  const first = invert(rigid(), truth[0]);
  const off = poses.map(({ toWorld }, i) => shiftM(toWorld, compose(rigid(), first, truth[i])));
  expect(Math.max(...off)).toBeLessThan(0.01);
});

test("a first frame without depth and without a pose has no place, and those after it keep theirs", async () => {
  const room = desk(8);
  const read = async (index: number) => {
    const frame = await room.read(index);
    if (index > 0) return { ...frame, pose: await room.pose(index) };
    return { ...frame, depth: image(new Uint16Array(frame.depth.data.length), frame.depth.shape) };
  };
  const source = { ...room, read };
  const { poses, unplaced } = await scan(source, { voxelM: 0.03, farM: 2, backend: "cpu" });
  expect([poses.length, unplaced]).toEqual([7, 1]);
});

test("poses that contradict depth are noticed: with a jump, in millimetres, or from world to camera", async () => {
  const room = desk(12);
  const scanned = async (change: (pose: readonly number[], index: number) => readonly number[]) => {
    const read = async (index: number) => ({
      ...(await room.read(index)),
      pose: change(await room.pose(index), index),
    });
    const source = { ...room, read };
    return (await scan(source, { voxelM: 0.02, farM: 2, backend: "cpu" })).astrayM;
  };
  const moved = (times: number, by: number) => (pose: readonly number[], index: number) =>
    pose.map((value, k) => (k === 3 || k === 7 || k === 11 ? times * value + (index > 5 ? by : 0) : value));
  const back = (pose: readonly number[]) => [...invert(rigid(), Float64Array.from(pose)), 0, 0, 0, 1];
  expect(await scanned((pose) => pose)).toBe(0);
  expect(await scanned(moved(1, 0.3))).toBeCloseTo(0.52, 1);
  expect(await scanned(moved(1000, 0))).toBeGreaterThan(1);
  expect(await scanned(back)).toBeGreaterThan(0);
});

test("right poses of a camera that seems to stand now and then, or pauses, do not contradict depth", async () => {
  for (const [fps, frames] of [
    [30, 60],
    [600, 240],
    [0.5, 12],
  ]) {
    const room = syntheticRoom({ width: 160, height: 120, frames, fps, cameraMotion: "sway" });
    const read = async (index: number) => ({ ...(await room.read(index)), pose: await room.pose(index) });
    const source = { ...room, read };
    expect((await scan(source, { voxelM: 0.05, backend: "cpu" })).astrayM).toBe(0);
  }
});

test("a scan without a surface says how little depth there is, and how many frames have no place", async () => {
  const room = desk(3);
  const read = async (index: number) => {
    const { depth, ...rest } = await room.read(index);
    const data = depth.data.map((value, i) => (i % 20 === index ? value : 0));
    return { ...rest, depth: image(data, depth.shape) };
  };
  const why = /in 1 frame, and the camera's place is not known in 2 others; the first one has depth in [45] % of its/;
  const source = { ...room, read };
  await expect(scan(source, { backend: "cpu" })).rejects.toThrow(why);
});
