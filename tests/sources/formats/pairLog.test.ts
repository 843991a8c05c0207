import { expect, test } from "vitest";
import { openRecording } from "../../../sources/index.ts";
import { useFolder } from "../fixtures.ts";
import { bagOf, db3Of, type Entry, entry, mcapOf } from "../logs/files.ts";
import { depthUnits, HEIGHT, K, LENS, rows16, WIDTH } from "../logs/frames.ts";
import { ros1, ros1Depth, ros1Image, ros1Lens, ros2Image, ros2Lens } from "../logs/messages.ts";
import { oak, oakFrame, orbbecDisparity, orbbecImage, orbbecProfile } from "../makers/vendors.ts";

// The two infrared images of a stereo camera in bags and MCAP files.

const disk = useFolder();
const grey = (value: number) => new Uint8Array(WIDTH * HEIGHT).fill(value);
const T = 1_795_788_202_500;

/**
 * A ROS wrapper's topics: the right camera's projection tells the distance, 50 mm. `late` is the right images' delay, ms; `blind` leaves
 * out the second left image.
 */
async function mcap({
  late = 0,
  blind = false,
  lens = {},
  asDb3 = false,
  right,
  name: kind = "image_rect_raw",
}: {
  late?: number;
  blind?: boolean;
  lens?: Parameters<typeof ros2Lens>[0];
  asDb3?: boolean;
  right?: Uint8Array;
  name?: string;
} = {}): Promise<string> {
  const p = (shift: number) => [K[0], 0, K[2], -shift * K[0], 0, K[4], K[5], 0, 0, 0, 1, 0];
  const info = (name: string, message: ReturnType<typeof ros2Lens>) => entry(`/camera/${name}/camera_info`, T, message);
  const of = (name: string, time: number, encoding: string, data: Uint8Array): Entry =>
    entry(`/camera/${name}/${kind}`, time, ros2Image({ encoding, data, frameId: `camera_${name}_frame` }));
  const entries = [
    info("depth", ros2Lens({ frameId: "camera_depth_frame" })),
    info("infra1", ros2Lens({ p: p(0), frameId: "camera_infra1_frame" })),
    info("infra2", ros2Lens({ p: p(0.05), frameId: "camera_infra2_frame", ...lens })),
    ...[0, 1].flatMap((i) => [
      of("depth", T + 33 * i, "16UC1", rows16(depthUnits(i))),
      of("infra2", T + 33 * i + late, "mono8", right ?? grey(100 + i)),
      ...(blind && i > 0 ? [] : [of("infra1", T + 33 * i, "mono8", grey(right ? 7 : i))]),
    ]),
  ];
  return disk.file(asDb3 ? "pair.db3" : "pair.mcap", await (asDb3 ? db3Of(entries) : mcapOf(entries)));
}

const pairOf = (facts: readonly { what: string; value: string }[]) => facts.find(({ what }) => what === "pair")?.value;

test.each([false, true])(
  "a ROS wrapper's two infrared topics are a pair, at the distance that the right one's projection tells (.db3: %o)",
  async (asDb3) => {
    await using recording = await openRecording(await mcap({ asDb3 }));
    const { pair, depth } = await recording.read(1);
    expect([pair?.left.data[3], pair?.right.data[3], pair?.left.shape]).toEqual([1, 101, depth.shape]);
    expect(pair?.baselineM).toBeCloseTo(0.05, 6);
    expect(pairOf(recording.facts)).toBe(
      "/camera/infra1/image_rect_raw, /camera/infra2/image_rect_raw, baseline 50 mm",
    );
  },
);

test("of several cameras in one file each has its own pair and infrared image", async () => {
  const entries = ["/front", "/rear"].flatMap((camera, c) => {
    const k = K.map((value, i) => (i < 6 && i % 4 === 0 ? value * (1 + c / 2) : value));
    const of = (name: string, shift: number, message: ReturnType<typeof ros2Image>) => [
      entry(
        `${camera}/${name}/camera_info`,
        T,
        ros2Lens({ k, p: [k[0], 0, k[2], -shift * k[0], 0, k[4], k[5], 0, 0, 0, 1, 0], frameId: `${camera}_${name}` }),
      ),
      entry(`${camera}/${name}/image_rect_raw`, T, message),
    ];
    const eye = (name: string, value: number) =>
      ros2Image({ encoding: "mono8", data: grey(value), frameId: `${camera}_${name}` });
    const depth = ros2Image({ encoding: "16UC1", data: rows16(depthUnits(0)), frameId: `${camera}_depth` });
    return [
      ...of("infra1", 0, eye("infra1", 10 * c)),
      ...of("infra2", 0.05, eye("infra2", 10 * c + 1)),
      ...of("depth", 0, depth),
    ];
  });
  const path = disk.file("several.mcap", await mcapOf(entries));
  for (const [c, camera] of ["/front", "/rear"].entries()) {
    await using recording = await openRecording(path, { topic: `${camera}/depth/image_rect_raw` });
    const { pair } = await recording.read(0);
    expect([pair?.left.data[0], pair?.right.data[0]], pairOf(recording.facts)).toEqual([10 * c, 10 * c + 1]);
    const extras = await recording.extras?.read(0, ["infrared"]);
    expect(extras?.infrared?.from).toBe(`${camera}/infra1/image_rect_raw`);
  }
});

test("where nobody asks for the pair it is not read", async () => {
  await using recording = await openRecording(await mcap(), { pair: false });
  expect([(await recording.read(0)).pair, pairOf(recording.facts)]).toEqual([undefined, undefined]);
});

test("images out of step are no pair, and a warning says so", async () => {
  await using recording = await openRecording(await mcap({ late: 16 }));
  expect((await recording.read(0)).pair).toBeUndefined();
  expect(recording.warnings.join()).toContain("the pair's two images are 16 ms apart");
});

test("a frame with one of the two images has no pair, and a warning says so", async () => {
  await using recording = await openRecording(await mcap({ blind: true }));
  const [first, second] = [await recording.read(0), await recording.read(1)];
  expect([first.pair?.right.data[3], second.pair]).toEqual([100, undefined]);
  expect(recording.warnings.join()).toContain("one of the pair's two images is missing: such frames have no pair");
});

test("a pair that is not rectified is none, and the facts say why", async () => {
  const lens = {
    k: [...K.slice(0, 4), 2 * K[4], ...K.slice(5)],
    p: [K[0], 0, K[2], -9, 0, 2 * K[4], K[5], 0, 0, 0, 1, 0],
  };
  await using recording = await openRecording(await mcap({ lens }));
  expect((await recording.read(0)).pair).toBeUndefined();
  expect(pairOf(recording.facts)).toMatch(/^none: .* are not rectified: their lenses differ; record the camera's rect/);
});

test("a rectified pair whose principal points lie apart along the rows says by how much", async () => {
  const [k, p] = [
    [...K.slice(0, 2), K[2] + 2.5, ...K.slice(3)],
    [K[0], 0, K[2] + 2.5, -0.05 * K[0], 0, K[4], K[5], 0, 0, 0, 1, 0],
  ];
  await using recording = await openRecording(await mcap({ lens: { k, p } }));
  const { pair } = await recording.read(0);
  expect([pair?.doffsPx, pair?.baselineM]).toEqual([expect.closeTo(2.5, 6), expect.closeTo(0.05, 6)]);
});

test("a pair whose calibration rectifies it is rectified by that", async () => {
  // The right camera sees half as wide as the rectified image: of each of its pixels the neighbours lie two pixels apart.
  const k = [2 * K[0], 0, K[2], 0, 2 * K[4], K[5], 0, 0, 1];
  const slope = grey(0).map((_, i) => 40 * (i % WIDTH));
  await using recording = await openRecording(await mcap({ lens: { k }, right: slope, name: "image_raw" }));
  const { pair } = await recording.read(0);
  expect(pairOf(recording.facts)).toMatch(/baseline 50 mm, rectified by the calibration$/);
  const row = Math.round(K[5]);
  for (let x = 0; x < WIDTH; x++) {
    const at = 2 * (x - K[2]) + K[2];
    expect(pair?.right.get(row, x)).toBe(
      at >= -0.5 && at < WIDTH ? Math.round(40 * Math.min(WIDTH - 1, Math.max(0, at))) : 0,
    );
  }
  expect([pair?.left.get(row, 1), pair?.baselineM]).toEqual([7, expect.closeTo(0.05, 6)]);
});

const noted = (topic: string, message: Entry["message"]): Entry => entry(topic, T, message);

test("OAK's left and right image are a pair by the transforms and lenses in their own messages", async () => {
  const at = (topic: string, type: number, data: Uint8Array, socket: number, xCm: number) =>
    noted(topic, oak("img_frame.ImgFrame", oakFrame(type, data, socket, xCm)));
  const entries = [
    at("depth", 14, rows16(depthUnits(0)), 1, 0),
    at("left", 30, grey(1), 1, 0),
    at("right", 30, grey(2), 2, 7.5),
  ];
  await using recording = await openRecording(disk.file("oak.mcap", await mcapOf(entries)));
  const { pair, intrinsics } = await recording.read(0);
  expect([pair?.left.data[0], pair?.right.data[0], intrinsics.fx]).toEqual([1, 2, LENS.fx]);
  expect(pair?.baselineM).toBeCloseTo(0.075, 6);
});

test.each<[string, readonly Entry[], number | undefined, string]>([
  ["by their distance", [noted("/cam/disparityParam", orbbecDisparity(95))], 0.095, "baseline 95 mm"],
  ["not without it", [], undefined, "none: the file does not say where"],
  ["not of one camera", [noted("/cam/disparityParam", orbbecDisparity(95, 0))], undefined, "none: the file does not"],
  ["not at no distance", [noted("/cam/disparityParam", orbbecDisparity(-1))], undefined, "none: the file does not say"],
])("Orbbec's two infrared cameras are a pair %s", async (_, more, baselineM, told) => {
  const entries = ([3, 6, 7] as const).flatMap((n) => [
    noted(`/cam/streamProfileType_${n}`, orbbecProfile(new Array(8).fill(0), 3)),
    noted(
      `/cam/sensor_${n}/frameType_${n === 3 ? 3 : n + 2}`,
      orbbecImage(n === 3 ? "z16" : "mono8", n === 3 ? rows16(depthUnits(0)) : grey(n)),
    ),
  ]);
  await using recording = await openRecording(disk.file("orbbec.bag", bagOf([...entries, ...more])));
  const { pair, intrinsics } = await recording.read(0);
  expect([pair?.left.data[0], pair?.right.data[0], intrinsics.fx]).toEqual([baselineM && 6, baselineM && 7, LENS.fx]);
  expect(pair?.baselineM).toEqual(baselineM && expect.closeTo(baselineM, 6));
  expect(pairOf(recording.facts)).toContain(told);
});

test("a bag of librealsense places its two infrared cameras by their transforms", async () => {
  const S = "/device_0/sensor_0";
  const identity = { x: 0, y: 0, z: 0, w: 1 };
  const at = (camera: number) => ({ x: camera === 2 ? -0.055 : 0, y: 0, z: 0 });
  const entries = (["Depth_0", "Infrared_1", "Infrared_2"] as const).flatMap((name, i): Entry[] => [
    entry(`${S}/${name}/info/camera_info`, T, ros1Lens()),
    entry(`${S}/${name}/tf/0`, T, ros1("geometry_msgs/Transform", { translation: at(i), rotation: identity })),
    entry(`${S}/${name}/image/data`, T, i === 0 ? ros1Depth(0) : ros1Image({ encoding: "mono8", data: grey(i) })),
  ]);
  await using recording = await openRecording(disk.file("pair.bag", bagOf(entries)));
  const { pair } = await recording.read(0);
  expect([pair?.left.data[0], pair?.right.data[0]]).toEqual([1, 2]);
  expect(pair?.baselineM).toBeCloseTo(0.055, 6);
});
