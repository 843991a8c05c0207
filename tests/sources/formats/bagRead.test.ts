import { describe, expect, test } from "vitest";
import { packed, plain } from "../logs/bz2.ts";
import { type BagShape, bagOf, type Entry, entry, readAll } from "../logs/files.ts";
import * as made from "../logs/frames.ts";
import { HEIGHT, LENS, WIDTH } from "../logs/frames.ts";
import * as write from "../logs/messages.ts";

// ROS 1 bags in every compression, and bags of RealSense cameras: depth comes back bit for bit.

const timeOf = (index: number) => 1_600_000_000_000 + index * 100;
const entriesOf = (count: number): Entry[] => [
  entry("/camera/depth/camera_info", timeOf(0), write.ros1Lens()),
  ...Array.from({ length: count }, (_, i) => entry("/camera/depth/image_raw", timeOf(i), write.ros1Depth(i))),
];
const expected = (count: number) => made.framesAt(count, timeOf);

describe("a bag", () => {
  const shapes: BagShape[] = [
    {},
    { compression: "lz4" },
    { index: false },
    { compression: "lz4", index: false },
    { perChunk: 1 },
  ];
  test.each(shapes)("of the shape %o comes back bit for bit", async (shape) => {
    const told = await readAll(bagOf(entriesOf(11), shape), "a.bag");
    expect(told.frames).toEqual(expected(11));
    expect(told).toMatchObject({ format: "bag", fps: 10, topics: ["/camera/depth/image_raw"] });
    expect(told.warnings).toEqual(shape.index === false ? [expect.stringContaining("it was not closed")] : []);
  });

  test("whose chunks are packed by bz2 comes back bit for bit", async () => {
    // bz2.ts holds this chunk as the bzip2 tool packed it; bagOf must hand over the same bytes.
    const told = await readAll(
      bagOf(entriesOf(2), {
        compression: "bz2",
        perChunk: 3,
        compress: (bytes) => {
          expect(Buffer.from(bytes).equals(plain)).toBe(true);
          return packed;
        },
      }),
      "a.bag",
    );
    expect(told.frames).toEqual(expected(2));
  });

  test("that is cut off plays to its last whole chunk", async () => {
    const whole = bagOf(entriesOf(30));
    const told = await readAll(whole.slice(0, 4096 + Math.round((whole.length - 4096) * 0.5)), "a.bag");
    expect(told.length).toBeGreaterThan(5);
    expect(told.length).toBeLessThan(28);
    expect(told.frames).toEqual(expected(told.length));
    expect(told.warnings).toEqual([expect.stringContaining("cut off or damaged at byte")]);
    await expect(readAll(whole.slice(0, 4200), "a.bag")).rejects.toThrow(
      /^a\.bag: it is cut off or damaged at byte \d+ of 4200, and there is no depth image before that; copy or download it again$/,
    );
  });

  test("of version 1.2, or with damaged compressed data, is refused with a reason", async () => {
    const old = new TextEncoder().encode("#ROSBAG V1.2\n");
    await expect(readAll(old, "a.bag")).rejects.toThrow(
      /version 1\.2, and only 2\.0 is supported; convert it with "rosbag fix"/,
    );
    const bag = bagOf(entriesOf(2), { compression: "bz2", compress: (bytes) => bytes });
    await expect(readAll(bag, "a.bag")).rejects.toThrow(/its compressed data is damaged/);
  });
});

const flat = Uint16Array.from({ length: WIDTH * HEIGHT }, () => 4000);
const rgb = made.colorValues(0);
const sensor = (n: number) => `/device_0/sensor_${n}`;

/** A RealSense bag of one frame whose colour camera stands at `shift` from the device. */
function realSense(shift: { readonly x: number; readonly y: number; readonly z: number }) {
  const transform = (translation: object) =>
    write.ros1("geometry_msgs/Transform", { translation, rotation: { x: 0, y: 0, z: 0, w: 1 } });
  const entries: Entry[] = [
    entry(`${sensor(0)}/Depth_0/info/camera_info`, 0, write.ros1Lens()),
    entry(`${sensor(1)}/Color_0/info/camera_info`, 0, write.ros1Lens()),
    entry(`${sensor(0)}/option/Depth_Units/value`, 0, write.ros1("std_msgs/Float32", { data: 0.00025 })),
    entry(`${sensor(0)}/Depth_0/tf/0`, 0, transform({ x: 0, y: 0, z: 0 })),
    entry(`${sensor(1)}/Color_0/tf/0`, 0, transform(shift)),
    entry(`${sensor(0)}/Depth_0/image/data`, 5, write.ros1Image({ encoding: "mono16", data: made.rows16(flat) })),
    entry(`${sensor(1)}/Color_0/image/data`, 9, write.ros1Image({ encoding: "rgb8", data: rgb })),
  ];
  return bagOf(entries);
}

test("a RealSense bag gives its depth unit, and colour registered by its extrinsics", async () => {
  const { frames, fact } = await readAll(realSense({ x: -1 / LENS.fx, y: 0, z: 0 }), "a.bag");
  expect(frames).toHaveLength(1);
  expect(frames[0]).toMatchObject({ depth: [...flat], metresPerUnit: 0.00025, timestamp: 5 });
  expect(fact("unit")).toMatchObject({ value: "0.25 mm", from: `topic ${sensor(0)}/option/Depth_Units/value` });
  // The colour camera sees a point at one metre one pixel further left than the depth camera does.
  const rgba = made.rgbaOf(rgb);
  for (let y = 0; y < HEIGHT; y++) {
    const row = y * WIDTH * 4;
    expect(frames[0].color?.slice(row + 4, row + WIDTH * 4)).toEqual([...rgba.subarray(row, row + (WIDTH - 1) * 4)]);
  }
});

test.each([Number.NaN, Infinity])(
  "a RealSense bag whose transform holds %f plays without colour, with a warning",
  async (x) => {
    const { frames, warnings } = await readAll(realSense({ x, y: 0, z: 0 }), "a.bag");
    expect(frames).toEqual([expect.objectContaining({ depth: [...flat], metresPerUnit: 0.00025, color: undefined })]);
    expect(warnings).toEqual([
      "a.bag, /device_0/sensor_1/Color_0/tf/0: the field transform is missing or not a number; record it again; frames go without colour",
    ]);
  },
);
