import { describe, expect, test } from "vitest";
import { encodeRvl } from "../../../sources/decode/rvl.ts";
import { openRecording, SeveralTopicsError } from "../../../sources/index.ts";
import { type Entry, entry, type McapShape, mcapOf, readAll } from "../logs/files.ts";
import * as made from "../logs/frames.ts";
import { depthUnits, HEIGHT, LENS, WIDTH } from "../logs/frames.ts";
import * as write from "../logs/messages.ts";

// MCAP files in every encoding and compression, written by @mcap/core: depth comes back bit for bit.

const DEPTH = "/camera/depth/image_rect_raw";
const INFO = "/camera/depth/camera_info";
const timeOf = (index: number) => 1_700_000_000_000 + index * 40;

/** Frames of one topic after its lens. */
const entriesOf = (count: number, image: (index: number) => write.Written, lens = write.ros2Lens()): Entry[] => [
  entry(INFO, timeOf(0), lens),
  ...Array.from({ length: count }, (_, i) => entry(DEPTH, timeOf(i), image(i))),
];
const plainImage = (i: number) => write.ros2Depth(i);

const rvl = (i: number) => {
  const size = Uint32Array.of(WIDTH, HEIGHT);
  return made.withHeader(Buffer.concat([new Uint8Array(size.buffer), encodeRvl(depthUnits(i))]));
};
const png = (i: number) => made.withHeader(made.depthPng(depthUnits(i)));
const rawFields = (i: number, data: Uint8Array, encoding: string, step: number) => ({
  ...{
    timestamp: { seconds: 1_700_000_000, nanos: i * 40e6 },
    frame_id: "d",
    width: WIDTH,
    height: HEIGHT,
    encoding,
    step,
    data,
    i,
  },
});

const images: Record<string, (i: number) => write.Written> = {
  "Image 16UC1": plainImage,
  "Image 16UC1, big-endian in padded rows": (i) =>
    write.ros2Image({ encoding: "16UC1", data: made.rows16(depthUnits(i), 20, true), step: 20, bigEndian: true }),
  "Image mono16": (i) => write.ros2Image({ encoding: "mono16", data: made.rows16(depthUnits(i)) }),
  "Image 32FC1": (i) => write.ros2Image({ encoding: "32FC1", data: made.rows32(depthUnits(i)) }),
  "Image 32FC1, big-endian in padded rows": (i) =>
    write.ros2Image({ encoding: "32FC1", data: made.rows32(depthUnits(i), 28, true), step: 28, bigEndian: true }),
  "compressedDepth png": (i) => write.ros2Compressed("16UC1; compressedDepth png", png(i)),
  "compressedDepth rvl": (i) => write.ros2Compressed("16UC1; compressedDepth rvl", rvl(i)),
  "compressedDepth, none named": (i) => write.ros2Compressed("16UC1; compressedDepth", png(i)),
  "CompressedImage, a PNG": (i) => write.ros2Compressed("png", made.depthPng(depthUnits(i))),
  "ROS 1 Image": (i) => write.ros1Depth(i),
  "Foxglove RawImage, protobuf": (i) =>
    write.foxglove("RawImage", rawFields(i, made.rows16(depthUnits(i), 14), "16UC1", 14), "protobuf"),
  "Foxglove RawImage, JSON": (i) =>
    write.foxglove("RawImage", rawFields(i, made.rows32(depthUnits(i)), "32FC1", WIDTH * 4), "json"),
  "Foxglove CompressedImage, protobuf": (i) =>
    write.foxglove("CompressedImage", { format: "png", data: made.depthPng(depthUnits(i)) }, "protobuf"),
};

const expected = (count: number) => made.framesAt(count, timeOf);

test.each(Object.entries(images))("depth in MCAP messages of the kind %s comes back bit for bit", async (_, image) => {
  const told = await readAll(await mcapOf(entriesOf(3, image)), "a.mcap");
  expect(told.frames).toEqual(expected(3));
  expect(told).toMatchObject({ format: "mcap", fps: 25, warnings: [], topics: [DEPTH] });
  expect(told.fact("intrinsics")?.from).toBe(`topic ${INFO}`);
});

const shapes: McapShape[] = [];
for (const compression of ["", "lz4", "zstd"] as const)
  for (const lists of [true, false]) for (const summary of [true, false]) shapes.push({ compression, lists, summary });
test.each([...shapes, { chunked: false }, { chunked: false, summary: false }, { chunkSize: 1 }])(
  "an MCAP file of the shape %o comes back bit for bit",
  async (shape) => {
    const told = await readAll(await mcapOf(entriesOf(40, plainImage), shape), "a.mcap");
    expect(told.frames).toEqual(expected(40));
    expect(told.warnings).toEqual([]);
  },
);

test("compressedDepth of 32FC1 becomes metres by the inverse depth parameters in its header", async () => {
  const [a, b] = [100, -5];
  const values = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => (i === 3 ? 0 : 40 + i));
  const data = made.withHeader(made.depthPng(values), a, b);
  const { frames } = await readAll(
    await mcapOf(entriesOf(1, () => write.ros2Compressed("32FC1; compressedDepth png", data))),
    "a.mcap",
  );
  expect(frames[0].depth).toEqual([...values].map((v) => (v === 0 ? 0 : Math.round((a / (v - b)) * 1000))));
});

test("metres of a 32FC1 image are converted to the requested unit; values beyond 16 bits become 0", async () => {
  const metres = Float32Array.of(Number.NaN, -1, 0, Infinity, 0.00012, 1, 6.5535, 6.5537, ...new Array(16).fill(2));
  const image = () => write.ros2Image({ encoding: "32FC1", data: new Uint8Array(metres.buffer) });
  const { frames } = await readAll(await mcapOf(entriesOf(1, image)), "a.mcap", { metresPerUnit: 0.0001 });
  expect(frames[0].depth.slice(0, 9)).toEqual([0, 0, 0, 0, 1, 10000, 65535, 0, 20000]);
});

test("frames of an MCAP file are in the order of their times, not of the file", async () => {
  const [lens, ...frames] = entriesOf(12, plainImage);
  const told = await readAll(await mcapOf([lens, ...frames.reverse()], { chunkSize: 300 }), "a.mcap");
  expect(told.frames).toEqual(expected(12));
});

describe("colour", () => {
  const rgb = (i: number) => made.colorValues(i);
  const depth = (i: number) => write.ros2Depth(i, "eye");
  const bgr = (i: number) => rgb(i).map((_, at, all) => all[at - (at % 3) + 2 - (at % 3)]);
  const images: Record<string, (i: number) => write.Written> = {
    rgb8: (i) => write.ros2Image({ encoding: "rgb8", data: rgb(i), frameId: "eye" }),
    bgr8: (i) => write.ros2Image({ encoding: "bgr8", data: bgr(i), frameId: "eye" }),
    "a PNG": (i) => write.ros2Compressed("rgb8; png compressed bgr8", made.colorPng(rgb(i)), "eye"),
  };
  test.each(Object.entries(images))("as %s in depth's frame_id is paired by the nearest time", async (_, image) => {
    const entries = [0, 1, 2].flatMap((i) => [
      entry(DEPTH, timeOf(i), depth(i)),
      entry("/camera/color/image", timeOf(i) + 11, image(i)),
    ]);
    const told = await readAll(await mcapOf(entries), "a.mcap", { intrinsics: LENS });
    expect(told.frames.map(({ color }) => color)).toEqual([0, 1, 2].map((i) => [...made.rgbaOf(rgb(i))]));
    expect(told.warnings).toEqual([]);
  });

  test("of another camera is registered to depth by tf_static", async () => {
    // A pixel is 1 / fx wide at one metre. The colour camera stands two pixels to the right, so its picture moves two to the left.
    const flat = new Uint16Array(WIDTH * HEIGHT).fill(1000);
    const shift = 2 / LENS.fx;
    const entries = [
      entry("/tf_static", timeOf(0), write.ros2Transform("base", "eye", [0, 0, 0], [0, 0, 0, 1])),
      entry("/tf_static", timeOf(0), write.ros2Transform("base", "other", [shift, 0, 0], [0, 0, 0, 1])),
      entry(INFO, timeOf(0), write.ros2Lens({ frameId: "eye" })),
      entry("/color/camera_info", timeOf(0), write.ros2Lens({ frameId: "other" })),
      entry(DEPTH, timeOf(0), write.ros2Image({ encoding: "16UC1", data: made.rows16(flat), frameId: "eye" })),
      entry("/color/image", timeOf(0), write.ros2Image({ encoding: "rgb8", data: rgb(0), frameId: "other" })),
    ];
    const told = await readAll(await mcapOf(entries), "a.mcap");
    expect(told.fact("colour")?.value).toBe("/color/image, registered by /tf_static");
    const rgba = made.rgbaOf(rgb(0));
    const there = told.frames[0].color ?? [];
    for (let y = 0; y < HEIGHT; y++) {
      const row = y * WIDTH * 4;
      expect(there.slice(row + 8, row + WIDTH * 4)).toEqual([...rgba.subarray(row, row + (WIDTH - 2) * 4)]);
      expect(there.slice(row, row + 8)).toEqual(new Array(8).fill(0));
    }
  });

  test("that cannot be registered is left out with a warning", async () => {
    const entries = [
      entry(DEPTH, timeOf(0), depth(0)),
      entry("/color/image", timeOf(0), write.ros2Image({ encoding: "rgb8", data: rgb(0), frameId: "b" })),
    ];
    const { frames, warnings } = await readAll(await mcapOf(entries), "a.mcap", { intrinsics: LENS });
    expect(frames[0].color).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining("frames go without colour")]);
  });
});

describe("an MCAP file of several depth topics", () => {
  const entries = [0, 1].flatMap((i) => [
    entry("/left/depth/image", timeOf(i), plainImage(i)),
    entry("/right/depth/image", timeOf(i), plainImage(i + 5)),
    entry("/left/infra1/image", timeOf(i), plainImage(i + 9)),
  ]);

  test("is refused with a list of the topics when no topic is chosen", async () => {
    const file = new File([await mcapOf(entries)], "a.mcap");
    const error = await openRecording(file).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SeveralTopicsError);
    expect((error as SeveralTopicsError).topics.map(({ name }) => name)).toEqual([
      "/left/depth/image",
      "/right/depth/image",
    ]);
    expect(String(error)).toContain("/right/depth/image (sensor_msgs/Image 16UC1, 6×4, 2 frames)");
  });

  test("plays the topic that is named, and refuses a name that it does not have", async () => {
    const bytes = await mcapOf(entries);
    const told = await readAll(bytes, "a.mcap", { topic: "/right/depth/image" });
    expect(told.frames.map(({ depth }) => depth)).toEqual([[...depthUnits(5)], [...depthUnits(6)]]);
    expect(told.fact("topic")).toMatchObject({ from: "option" });
    await expect(readAll(bytes, "a.mcap", { topic: "/nothing" })).rejects.toThrow(
      'a.mcap: it has no depth topic "/nothing"; there are /left/depth/image, /right/depth/image',
    );
  });
});

test("an MCAP file without depth is refused with a list of its topics", async () => {
  const entries = [entry("/color", 1, write.ros2Image({ encoding: "rgb8", data: made.colorValues(0) }))];
  await expect(readAll(await mcapOf(entries), "a.mcap")).rejects.toThrow(
    /it has no depth topic .*holds \/color \(sensor_msgs\/Image\)/,
  );
});

test.each(["", "lz4", "zstd"] as const)(
  'an MCAP file that is cut off in the middle (compression: "%s") plays to its last whole chunk',
  async (compression) => {
    const whole = await mcapOf(entriesOf(40, plainImage), { compression, chunkSize: 600, lists: true });
    const told = await readAll(whole.slice(0, Math.round(whole.length * 0.5)), "a.mcap");
    expect(told.length).toBeGreaterThan(8);
    expect(told.length).toBeLessThan(36);
    expect(told.frames).toEqual(expected(told.length));
    expect(told.warnings).toEqual([expect.stringMatching(/cut off or damaged at byte \d+/)]);
  },
);
