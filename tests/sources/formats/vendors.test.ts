import { encode } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { zstandard } from "../logs/compress.ts";
import { bagOf, db3Of, type Entry, mcapOf, readAll } from "../logs/files.ts";
import {
  colorPng,
  colorValues,
  depthPng,
  depthUnits,
  HEIGHT,
  LENS,
  rgbaOf,
  rows16,
  WIDTH,
  withHeader,
} from "../logs/frames.ts";
import { ros2Compressed, ros2Image, ros2Lens, type Written } from "../logs/messages.ts";
import { lensText, oak, oakFrame, orbbecImage, orbbecProfile, orbbecProperty, ros2Text } from "../makers/vendors.ts";

// Recordings as the camera makers' own programs write them: nothing that the file holds is assumed.

const at = (topic: string, message: Written, time = 1000): Entry => ({ topic, time, message });
const depth = (i = 0) => rows16(depthUnits(i));

describe("a RealSense .db3", () => {
  const [D, C] = ["/device_0/sensor_0", "/device_0/sensor_1"];
  const place = (x: number, r = "1,0,0,0,1,0,0,0,1") => ros2Text(`rotation=${r};translation=${x},0,0`);
  const texts = (model?: string, coeffs?: string): Entry[] => [
    at("/device_0/info", ros2Text("Name=Intel RealSense D405")),
    at(`${D}/option/Depth_Units/value`, ros2Text("0.000100")),
    at(`${D}/Depth_0/camera_info`, lensText(model, coeffs)),
    at(`${C}/Color_0/camera_info`, lensText()),
  ];
  const images = (color = ros2Image({ encoding: "rgb8", data: colorValues(0), frameId: "Color" })): Entry[] => [
    at(`${D}/Depth_0/image/data`, ros2Image({ encoding: "mono16", data: depth(), frameId: "Depth" })),
    at(`${C}/Color_0/image/data`, color),
  ];

  test("has unit, lens and registration in texts", async () => {
    const places = [at(`${D}/Depth_0/tf/ref_0`, place(0)), at(`${C}/Color_0/tf/ref_0`, place(0))];
    const { frames, fact, warnings } = await readAll(await db3Of([...texts(), ...images(), ...places]), "a.db3");
    expect(warnings).toEqual([]);
    expect(frames[0]).toMatchObject({ metresPerUnit: 0.0001, intrinsics: { ...LENS, width: WIDTH, height: HEIGHT } });
    expect(frames[0].depth).toEqual([...depthUnits(0)]);
    // No depth, no colour; elsewhere the two cameras are at one place with one lens.
    expect(frames[0].color?.slice(4, 8)).toEqual([...rgbaOf(colorValues(0))].slice(4, 8));
    expect(fact("unit")?.from).toBe(`topic ${D}/option/Depth_Units/value`);
    expect(fact("intrinsics")?.from).toBe(`topic ${D}/Depth_0/camera_info`);
  });

  test("keeps the model of its distortion, which the CameraInfo beside it gets wrong", async () => {
    const beside = at(`${D}/Depth_0/image/camera_info`, ros2Lens({ d: [0.1, 0, 0, 0, 0] }));
    const { frames } = await readAll(
      await db3Of([...texts("Inverse Brown Conrady", "0.1,0.2,0,0,0"), ...images(), beside]),
      "a.db3",
    );
    expect(frames[0].intrinsics).toMatchObject({
      distortionModel: "inverse-brown-conrady",
      distortion: [0.1, 0.2, 0, 0, 0],
    });
  });

  test("has matrices column by column, and relates streams of one reference only", async () => {
    // Colour is turned by a quarter about the optical axis: only a matrix that is read in the right order sees red in the right place.
    const turned = "0,1,0,-1,0,0,0,0,1";
    const color = (tf: string, r?: string) => [
      at(`${D}/Depth_0/tf/ref_0`, place(0)),
      at(`${C}/Color_0/${tf}`, place(0, r)),
    ];
    const [same, other] = await Promise.all(
      [color("tf/ref_0", turned), color("tf/ref_1")].map(async (places) =>
        readAll(await db3Of([...texts(), ...images(), ...places]), "a.db3"),
      ),
    );
    const pixel = (x: number, y: number) => 4 * (y * WIDTH + x);
    const image = rgbaOf(colorValues(0));
    // (2.5 ± 0.5, 1.75 − 0.75) turns to (2.5 + 0.79, 1.75 + 0.48).
    expect(same.frames[0].color?.slice(pixel(3, 1), pixel(3, 1) + 3)).toEqual([
      ...image.slice(pixel(3, 2), pixel(3, 2) + 3),
    ]);
    expect(other.frames[0].color).toBeUndefined();
    expect(other.warnings.join()).toMatch(/does not say where the camera of .*Color_0/);
  });

  test("that was compressed while recording has PNGs, and other pixels packed by zstd", async () => {
    const yuyv = new Uint8Array(WIDTH * HEIGHT * 2).fill(128);
    const entries = [
      ...texts(),
      at(
        `${D}/Depth_0/image/compressedDepth`,
        ros2Compressed("16UC1; compressedDepth png", withHeader(depthPng(depthUnits(0)))),
      ),
      at(`${D}/Depth_0/tf/ref_0`, place(0)),
      at(`${C}/Color_0/tf/ref_0`, place(0)),
    ];
    const packed = `YUYV; zstd; ${WIDTH}x${HEIGHT} step=${WIDTH * 2}`;
    const pixel = [...rgbaOf(colorValues(0))].slice(4, 8);
    for (const [color, expected] of [
      [ros2Compressed("rgb8; png compressed bgr8", colorPng(colorValues(0))), pixel],
      [ros2Compressed(packed, zstandard(yuyv)), [130, 130, 130, 255]],
    ] as const) {
      const { frames, warnings } = await readAll(
        await db3Of([...entries, at(`${C}/Color_0/image/compressed`, color)]),
        "a.db3",
      );
      expect(warnings).toEqual([]);
      expect(frames[0].depth).toEqual([...depthUnits(0)]);
      expect(frames[0].metresPerUnit).toBe(0.0001);
      expect(frames[0].color?.slice(4, 8)).toEqual(expected);
    }
  });
});

describe("an Orbbec .bag", () => {
  const images = (color = orbbecImage("rgb8", colorValues(0))): Entry[] => [
    at("/cam/sensor_1/frameType_1", orbbecImage("mono16", depth(1))),
    at("/cam/sensor_3/frameType_3", orbbecImage("z16", depth())),
    at("/cam/sensor_2/frameType_2", color),
    at("/cam/streamProfileType_2", orbbecProfile(new Array(8).fill(0), 0)),
    at("/cam/streamProfileType_3", orbbecProfile([0.1, 0.2, 0.3, 0, 0, 0, 0.4, 0.5], 3)),
  ];

  test("is read past fields that its definition does not name, with its lens and colour by its profiles", async () => {
    const { frames, fact, warnings, topics } = await readAll(bagOf(images()), "a.bag");
    expect(warnings).toEqual([]);
    expect(topics).toEqual(["/cam/sensor_3/frameType_3"]);
    expect(frames[0].depth).toEqual([...depthUnits(0)]);
    expect(frames[0].intrinsics).toMatchObject({ ...LENS, width: WIDTH, height: HEIGHT });
    expect(frames[0].intrinsics.distortion?.map((value) => Number(value.toFixed(6)))).toEqual([
      0.1, 0.2, 0.4, 0.5, 0.3,
    ]);
    expect(frames[0].color).toBeDefined();
    expect(fact("unit")).toEqual({ what: "unit", value: "1 mm", from: "Orbbec default" });
    expect(fact("colour")?.value).toBe("/cam/sensor_2/frameType_2, registered by /cam/streamProfileType_3");
  });

  test.each([
    ["float in 176", [orbbecProperty(75, Int32Array.of(3)), orbbecProperty(176, Float32Array.of(0.25))], 0.00025],
    ["level 1 of property 75", [orbbecProperty(99, Int32Array.of(5)), orbbecProperty(75, Int32Array.of(1))], 0.0008],
    ["level that is not known", [orbbecProperty(75, Int32Array.of(77))], 0.001],
  ])("takes its unit from the %s", async (_, properties, unit) => {
    const entries = [...images(), ...properties.map((message) => at("/cam/property", message))];
    expect((await readAll(bagOf(entries), "a.bag")).frames[0].metresPerUnit).toBe(unit);
  });

  test.each([
    ["disp16", "disparities, which only the SDK turns into depth: switch on"],
    ["rvl", "packed: set the depth stream to Y16 or Z16"],
  ])("whose depth is %s is refused with what to do", async (format, advice) => {
    const entries = images().map((entry) =>
      entry.topic.includes("_3/") ? { ...entry, message: orbbecImage(format, depth()) } : entry,
    );
    await expect(readAll(bagOf(entries), "a.bag")).rejects.toThrow(`${format}: ${advice}`);
  });

  test("has colour as JPEGs in plain images", async () => {
    const { data } = encode({ data: new Uint8Array(WIDTH * HEIGHT * 4).fill(200), width: WIDTH, height: HEIGHT }, 90);
    const { frames, warnings } = await readAll(bagOf(images(orbbecImage("mjpg", data, 0))), "a.bag");
    expect(warnings).toEqual([]);
    expect(Math.max(...(frames[0].color ?? []).filter((_, i) => i % 4 < 3))).toBeGreaterThan(190);
  });
});

describe("an OAK .mcap", () => {
  const [RAW16, RGB] = [14, 9];
  test("has the unit, lens and place of each image in its own message", async () => {
    const entries = [
      at("depth", oak("img_frame.ImgFrame", oakFrame(RAW16, depth(), 2, 0))),
      at("color", oak("img_frame.ImgFrame", oakFrame(RGB, colorValues(0), 0))),
    ];
    const { frames, fact, warnings } = await readAll(await mcapOf(entries), "a.mcap");
    expect(warnings).toEqual([]);
    expect(frames[0]).toMatchObject({ metresPerUnit: 0.001, intrinsics: { ...LENS, width: WIDTH, height: HEIGHT } });
    expect(frames[0].depth).toEqual([...depthUnits(0)]);
    expect(frames[0].color?.slice(4, 8)).toEqual([...rgbaOf(colorValues(0))].slice(4, 8));
    expect(fact("unit")?.from).toBe("DepthAI default");
    expect(fact("intrinsics")?.from).toBe("topic depth");
    expect(fact("colour")?.value).toMatch(/^color, registered by/);
  });

  test("turned by 180 degrees has depth, with an assumed lens, which is said", async () => {
    const turned = oakFrame(RAW16, depth(), 2, 0, [-0.5, 0, WIDTH, 0, -0.5, HEIGHT, 0, 0, 1]);
    const { frames, warnings } = await readAll(
      await mcapOf([at("depth", oak("img_frame.ImgFrame", turned))]),
      "a.mcap",
    );
    expect(frames[0].depth).toEqual([...depthUnits(0)]);
    expect(warnings.join()).toContain("no intrinsics");
  });

  test("may have colour and depth in one message", async () => {
    const pair = { depthImgFrame: oakFrame(RAW16, depth(), 2), colorImgFrame: oakFrame(RGB, colorValues(0), 0) };
    const entries = [at("rgbd", oak("rgbd_data.RGBDData", pair))];
    const { frames, warnings } = await readAll(await mcapOf(entries), "a.mcap");
    expect(warnings).toEqual([]);
    expect(frames[0].depth).toEqual([...depthUnits(0)]);
    expect(frames[0].color).toEqual([...rgbaOf(colorValues(0))]);
  });
});
