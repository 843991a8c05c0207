import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { type Contents, depthPng, depthValues, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";

// Folders whose recording.json names a pair of images.

const disk = useFolder();
const grey = (value: number, width = WIDTH) =>
  encode({ width, height: HEIGHT, channels: 1, depth: 8, data: new Uint8Array(width * HEIGHT).fill(value) });
const deep = (value: number) =>
  encode({ width: WIDTH, height: HEIGHT, channels: 1, depth: 16, data: new Uint16Array(WIDTH * HEIGHT).fill(value) });
const intrinsics = { fx: 600, fy: 600, cx: 3, cy: 2 };
const said = (more: object = {}) =>
  JSON.stringify({ pair: { left: "ir1/*.png", right: "ir2/*.png", baselineMm: 50 }, fps: 30, intrinsics, ...more });
const pairs = (numbers: readonly number[], from = 0): Contents =>
  Object.fromEntries(
    numbers.flatMap((i) => [
      [`ir1/${i}.png`, grey(from + i)],
      [`ir2/${String(i).padStart(4, "0")}.png`, grey(from + 100 + i)],
    ]),
  );

describe("a folder with a pair of images", () => {
  test("gives both images of each number, the baseline, and depth without a valid pixel", async () => {
    const recording = await disk.open(disk.folder({ ...pairs([2, 10]), "recording.json": said() }));
    expect([recording.length, recording.format]).toEqual([2, "pair"]);
    const { depth, pair, metresPerUnit, timestamp } = await recording.read(1);
    expect([pair?.left.data[5], pair?.right.data[5], pair?.baselineM]).toEqual([10, 110, 0.05]);
    expect(pair?.left.shape).toEqual([HEIGHT, WIDTH]);
    expect([depth.data.every((z) => z === 0), metresPerUnit, Math.round(timestamp)]).toEqual([true, 0.0002, 33]);
  });

  test("reads depth beside it as ever, and images of 16 bits as they are", async () => {
    const contents = { "depth/1.png": depthPng(depthValues(0)), "ir1/1.png": deep(1023), "ir2/1.png": deep(511) };
    const recording = await disk.open(disk.folder({ ...contents, "recording.json": said({ metresPerUnit: 0.001 }) }));
    const { depth, pair } = await recording.read(0);
    expect(depth.data).toEqual(depthValues(0));
    expect([pair?.left.data[0], pair?.right.data[0]]).toEqual([1023, 511]);
  });

  test("leaves out an image without a partner, with a warning", async () => {
    const recording = await disk.open(
      disk.folder({ ...pairs([1, 2]), "ir1/3.png": grey(3), "recording.json": said() }),
    );
    expect(recording.length).toBe(2);
    expect(recording.warnings.join()).toContain("1 of the pair's images have no partner of the same number");
  });

  test("refuses what is no pair, and says why", async () => {
    const open = (contents: Contents) => disk.open(disk.folder(contents));
    await expect(open({ ...pairs([1]), "recording.json": said({ pair: { left: "a", right: "b" } }) })).rejects.toThrow(
      "pair must be",
    );
    const lost = { left: "ir1/*.png", right: "other/*.png", baselineMm: 50 };
    await expect(open({ ...pairs([1]), "recording.json": said({ pair: lost }) })).rejects.toThrow(
      'no file is named other/*.png; correct "pair.right"',
    );
    await expect(open({ "ir1/1.png": grey(1), "ir2/2.png": grey(1), "recording.json": said() })).rejects.toThrow(
      "no left image has a right one of the same number",
    );
    const uneven = await open({ "ir1/1.png": grey(1), "ir2/1.png": grey(1, WIDTH + 1), "recording.json": said() });
    await expect(uneven.read(0)).rejects.toThrow("a pair needs two images of one size");
  });

  const cams = (cx: number) =>
    `cam0=[600 0 3; 0 600 2; 0 0 1]\ncam1=[600 0 ${cx}; 0 600 2; 0 0 1]\ndoffs=0\nbaseline=193.001\n`;
  const kitti = (right: number) => `P0: 700 0 3 0 0 700 2 0 0 0 1 0\nP1: 700 0 3 ${right} 0 700 2 0 0 0 1 0\n`;
  const rect = "P_rect_02: 700 0 3 7 0 700 2 0 0 0 1 0\nP_rect_03: 700 0 3 -371 0 700 2 0 0 0 1 0\n";
  test.each([
    ["Middlebury", { "im0.png": grey(1), "im1.png": grey(2), "calib.txt": cams(3) }, 0.193001, 600],
    ["KITTI", { "image_0/000000.png": grey(1), "image_1/000000.png": grey(2), "calib.txt": kitti(-378) }, 0.54, 700],
    [
      "KITTI, raw",
      {
        "image_02/data/0000000000.png": grey(1),
        "image_03/data/0000000000.png": grey(2),
        "calib_cam_to_cam.txt": rect,
      },
      0.54,
      700,
    ],
  ])("is known by the names of %s", async (_, contents, baselineM, fx) => {
    const recording = await disk.open(disk.folder(contents));
    const { pair, intrinsics: lens } = await recording.read(0);
    expect([recording.format, pair?.left.data[0], pair?.right.data[0], lens.fx]).toEqual(["pair", 1, 2, fx]);
    expect(pair?.baselineM).toBeCloseTo(baselineM, 6);
  });

  test("whose cameras have other principal points is refused with the reason", async () => {
    const contents = { "im0.png": grey(1), "im1.png": grey(2), "calib.txt": cams(127) };
    await expect(disk.open(disk.folder(contents))).rejects.toThrow("principal points differ");
    const none = { ...contents, "calib.txt": cams(3).replace("193.001", "-1") };
    await expect(disk.open(disk.folder(none))).rejects.toThrow(
      "calib.txt: its focal lengths and the cameras' distance",
    );
  });
});
