import { describe, expect, test } from "vitest";
import { entry, mcapOf, readAll } from "../logs/files.ts";
import { HEIGHT, LENS, WIDTH } from "../logs/frames.ts";
import * as write from "../logs/messages.ts";

// The lens and the unit that an MCAP file's messages and metadata say, and the warnings about those that make no sense.

const DEPTH = "/camera/depth/image_rect_raw";
const RAW = "/camera/depth/image_raw";
const TIME = 1_700_000_000_000;

/** A frame of one topic after its lens. */
const entriesOf = (lens = write.ros2Lens(), topic = DEPTH) => [
  entry("/camera/depth/camera_info", TIME, lens),
  entry(topic, TIME, write.ros2Depth(0)),
];

describe("a camera_info", () => {
  const frames = async (lens: write.LensFields, topic = DEPTH) => {
    const { frames, warnings } = await readAll(await mcapOf(entriesOf(write.ros2Lens(lens), topic)), "a.mcap");
    return { ...frames[0].intrinsics, warnings };
  };
  const p = [7, 0, 2.25, 0, 0, 7.5, 1.5, 0, 0, 0, 1, 0];

  test.each([
    ["plumb_bob", undefined],
    ["rational_polynomial", "rational"],
    ["equidistant", "fisheye"],
  ])("keeps the distortion of the model %s", async (model, distortionModel) => {
    const d = [0.1, -0.2, 0.001, 0.002, 0.05];
    const lens = await frames({ d, model }, "/camera/depth/image_raw");
    expect(lens).toMatchObject({ ...LENS, distortion: d, ...(distortionModel && { distortionModel }), warnings: [] });
  });

  test("keeps a fisheye's coefficients of 0, which bend rays, and no others", async () => {
    const read = (model: string) => frames({ d: [0, 0, 0, 0], model }, "/camera/depth/image_raw");
    expect(await read("equidistant")).toMatchObject({ distortion: [0, 0, 0, 0], distortionModel: "fisheye" });
    expect(await read("plumb_bob")).not.toHaveProperty("distortion");
  });

  test("gives a rectified image the rectified lens P, and a raw image the lens K", async () => {
    expect(await frames({ d: [0.1, 0, 0, 0, 0], p })).toEqual({
      ...{ fx: 7, fy: 7.5, cx: 2.25, cy: 1.5, width: WIDTH, height: HEIGHT, warnings: [] },
    });
    expect(await frames({ d: [0.1, 0, 0, 0, 0], p }, "/camera/depth/image_raw")).toMatchObject(LENS);
  });

  const k = [40, 0, 21, 0, 44, 17, 0, 0, 1];
  const doubled = [36, 0, 20, 0, 0, 38, 16, 0, 0, 0, 1, 0];
  const sensor = { width: 64, height: 48, k, p: doubled };
  test.each<[string, write.LensFields, string, { fx: number; fy: number; cx: number; cy: number }]>([
    ["a region of interest", { roi: [10, 12, WIDTH, HEIGHT] }, RAW, { fx: 40, fy: 44, cx: 11, cy: 5 }],
    ["a rectified region of interest", { roi: [10, 12, WIDTH, HEIGHT] }, DEPTH, { fx: 36, fy: 38, cx: 10, cy: 4 }],
    ["binning", { binning: [4, 2], width: 4 * WIDTH, height: 2 * HEIGHT }, RAW, { fx: 10, fy: 22, cx: 5.25, cy: 8.5 }],
    [
      "a region of interest that is binned",
      { roi: [5, 3, 2 * WIDTH, 2 * HEIGHT], binning: [2, 2] },
      RAW,
      { fx: 20, fy: 22, cx: 8, cy: 7 },
    ],
  ])("with %s gives a lens shifted by the offset, then divided by the binning", async (_, part, topic, expected) => {
    expect(await frames({ ...sensor, ...part }, topic)).toEqual({
      ...{ ...expected, width: WIDTH, height: HEIGHT, warnings: [] },
    });
  });

  test("with a region of interest beyond the sensor is used without the region, with a warning", async () => {
    const { warnings, ...lens } = await frames({ roi: [2, 0, WIDTH, HEIGHT] });
    expect(lens).toMatchObject(LENS);
    expect(warnings).toEqual([expect.stringContaining("camera_info: the region of interest")]);
  });

  test.each([
    [[0.1, Number.NaN], "the coefficient NaN"],
    [[0.1, -1e308], "the coefficient -1e+308"],
    [new Array(17).fill(0.1), "17 coefficients"],
  ])("with the distortion %j is used without it, with a warning", async (d, why) => {
    const { distortion, warnings } = await frames({ d }, RAW);
    expect([distortion, warnings]).toEqual([undefined, [expect.stringContaining(`the distortion has ${why}, which`)]]);
  });

  test.each([
    ["fx", 0, Number.NaN],
    ["fx", 0, 1e308],
    ["cx", 2, -1e308],
    ["fy", 4, Number.POSITIVE_INFINITY],
    ["cy", 5, Number.NaN],
  ])("with an %s (k[%i]) of %d is not used, with a warning that names it", async (name, i, value) => {
    const { warnings } = await frames({ k: [300, 0, 16, 0, 300, 12, 0, 0, 1].with(i, value) });
    expect(warnings).toEqual([
      expect.stringContaining(`camera_info: the message's ${name} is ${value}, which no lens has`),
      expect.stringContaining("58° horizontal field of view with square pixels is assumed"),
    ]);
  });

  test("with an unknown distortion model, or without calibration, gives a warning", async () => {
    expect((await frames({ d: [1, 2], model: "pillow" })).warnings).toEqual([expect.stringContaining('"pillow"')]);
    const { warnings } = await frames({ k: new Array(9).fill(0) });
    expect(warnings).toEqual([
      expect.stringContaining("was not calibrated"),
      expect.stringContaining("58° horizontal field of view with square pixels is assumed"),
    ]);
  });
});
