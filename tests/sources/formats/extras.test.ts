import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ConvertRequest, convert } from "../../../run/convert/convert.ts";
import { type MotionSample, openRecording } from "../../../sources/index.ts";
import { recordMcap } from "../../../write/mcap.ts";
import { useFolder } from "../fixtures.ts";
import { pretend } from "../live/liveServer.ts";
import { bagOf, db3Of, type Entry, entry, mcapOf } from "../logs/files.ts";
import { HEIGHT, rows16, WIDTH } from "../logs/frames.ts";
import { header, imu, ros1, ros1Depth, ros1Image, ros2Depth, ros2Image } from "../logs/messages.ts";

// What recordings hold beside depth and colour: metadata, infrared images, what inertial sensors measured.

const disk = useFolder();

const depth = (index: number) => ros1Depth(index);
const note = (key: string, value: string) => ros1("diagnostic_msgs/KeyValue", { key, value });
const grey = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => 10 * i);

test("the notes and the infrared images of a live camera are in its recording", async () => {
  const path = join(disk.root, "live.mcap");
  const { recorder, close } = await recordMcap(path, {});
  const images = [Uint8Array.of(1, 2, 3), Uint16Array.of(4, 500, 60_000)];
  const metadata = [["Actual Exposure", "8500"] as const];
  const frames = images.map((data) => ({ width: 3, height: 1, data, from: "/infrared/image" }));
  for (const [index, infrared] of frames.entries())
    await recorder.frame({ ...(await pretend(2).read(index)), timestamp: 1000 + 33 * index, metadata, infrared });
  await close();
  await using recording = await openRecording(path);
  for (const [index, infrared] of frames.entries())
    expect(await recording.extras?.read(index, ["metadata", "infrared"])).toEqual({ metadata, infrared });
});

// A time since 1970 in ms has steps of a quarter of a microsecond.
const [S, T] = ["/device_0/sensor_0", 1_795_788_202_500];

/** A bag of librealsense: three frames, of which the last has no infrared image, and ten samples of each inertial sensor. */
function realsenseBag() {
  const entries: Entry[] = [0, 1, 2].flatMap((i) => [
    entry(`${S}/Depth_0/image/data`, T + 33 * i, depth(i)),
    entry(`${S}/Depth_0/image/metadata`, T + 33 * i, note("Frame Counter", `${70 + i}`)),
    entry(`${S}/Depth_0/image/metadata`, T + 33 * i, note("Actual Exposure", `${8500 + i}`)),
    ...(i === 2 ? [] : [entry(`${S}/Infrared_1/image/data`, T + 33 * i, ros1Image({ encoding: "mono8", data: grey }))]),
  ]);
  const setting = (time: number, data: number) =>
    entry(`${S}/option/Laser Power/value`, time, ros1("std_msgs/Float32", { data }));
  const motion = Array.from({ length: 10 }, (_, i) => [
    entry("/device_0/sensor_2/Accel_0/imu/data", T + 10 * i, imu(0, i)),
    entry("/device_0/sensor_2/Gyro_0/imu/data", T + 10 * i + 5, imu(i, 0)),
  ]).flat();
  const all = [setting(T, 150), ...entries, setting(T + 40, 0.1), ...motion].sort((a, b) => a.time - b.time);
  return disk.file("a.bag", bagOf(all));
}

test("a bag of librealsense: each frame's notes, the sensor's settings, infrared, two inertial sensors", async () => {
  await using recording = await openRecording(realsenseBag());
  const read = async (index: number) => recording.extras?.read(index, ["metadata", "infrared", "motion"]);
  expect(recording.extras?.holds).toEqual(["metadata", "infrared", "motion"]);
  expect(await read(1)).toEqual({
    metadata: [
      ["Frame Counter", "71"],
      ["Actual Exposure", "8501"],
      ["Laser Power (setting)", "150"],
    ],
    infrared: { width: WIDTH, height: HEIGHT, data: grey, from: `${S}/Infrared_1/image/data` },
    motion: {
      accelerometer: [1, 2, 3].map((i) => ({ timestamp: expect.closeTo(T + 10 * i, 1), xyz: [0, i, 0] })),
      gyroscope: [0, 1, 2].map((i) => ({ timestamp: expect.closeTo(T + 10 * i + 5, 1), xyz: [i, 0, 0] })),
    },
  });
  const last = await read(2);
  expect([last?.metadata?.at(-1), last?.motion?.accelerometer.length]).toEqual([["Laser Power (setting)", "0.1"], 3]);
  expect(await recording.extras?.read(0, ["metadata"])).not.toHaveProperty("motion");
  await expect(recording.extras?.read(3, [])).rejects.toThrow("there is no frame 3");
});

/** Converts without the command line. */
async function converted(input: string, name: string, kind: ConvertRequest["kind"]) {
  const out = join(disk.root, name);
  const request: ConvertRequest = { input, out, kind, codec: "zstd", start: 0, frames: undefined, force: false };
  await using source = await openRecording(input);
  const { lost } = await convert(source, request, {
    signal: new AbortController().signal,
    onFrame() {},
    onResume() {},
  });
  return { out, lost };
}

const ALL = ["metadata", "infrared", "motion"] as const;

test("convert keeps notes, infrared and inertial samples in .mcap, also of that .mcap, and names what else loses", async () => {
  const bag = realsenseBag();
  const first = await converted(bag, "first.mcap", "mcap");
  const second = await converted(first.out, "second.mcap", "mcap");
  expect([first.lost, second.lost]).toEqual([[], []]);
  await using original = await openRecording(bag);
  for (const { out } of [first, second]) {
    await using recording = await openRecording(out);
    expect(recording.extras?.holds).toEqual(ALL);
    for (let index = 0; index < 3; index++) {
      const [found, wanted] = [await recording.extras?.read(index, ALL), await original.extras?.read(index, ALL)];
      const close = (samples: readonly MotionSample[] = []) =>
        samples.map(({ timestamp, xyz }) => ({ timestamp: expect.closeTo(timestamp, 2), xyz }));
      const { accelerometer, gyroscope } = wanted?.motion ?? {};
      expect(found).toEqual({
        ...wanted,
        ...(wanted?.infrared && { infrared: { ...wanted.infrared, from: "/infrared/image" } }),
        motion: { accelerometer: close(accelerometer), gyroscope: close(gyroscope) },
      });
    }
  }
  for (const kind of ["tum", "ply"] as const) {
    const { lost } = await converted(bag, kind, kind);
    expect(lost.filter((line) => line.startsWith("not kept: "))).toEqual([
      "not kept: the camera’s notes about each frame, infrared images, what inertial sensors measured; MCAP keeps them",
    ]);
  }
});

test("convert keeps the infrared images of a .db3, and goes on without those that cannot be read", async () => {
  const infrared = (data: Uint8Array, encoding: "mono8" | "mono16") => ros2Image({ encoding, data });
  const entries: Entry[] = [0, 1].flatMap((i) => [
    entry("/camera/depth/image_rect_raw", 1000 + 33 * i, ros2Depth(i)),
    // The second image has half the bytes that its encoding needs.
    entry("/camera/infra1/image_rect_raw", 1000 + 33 * i, infrared(grey, i === 0 ? "mono8" : "mono16")),
  ]);
  const { out, lost } = await converted(disk.file("a.db3", await db3Of(entries)), "db3.mcap", "mcap");
  expect(lost).toEqual([expect.stringMatching(/^1 frame written without .*: .*infra1.*message 1/)]);
  await using recording = await openRecording(out);
  expect((await recording.extras?.read(0, ALL))?.infrared?.data).toEqual(grey);
});

test("an MCAP of the ROS wrapper: notes as JSON, infrared of 16 bits, one sensor for both, which lacks one", async () => {
  const data = rows16(Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => 300 * i));
  const json_data = '{"frame_number":12,"actual_exposure":8500,"clock_domain":"global_time"}';
  const entries: Entry[] = [0, 1].flatMap((i) => [
    entry("/camera/depth/image_rect_raw", 1000 + 33 * i, depth(i)),
    entry("/camera/infra1/image_rect_raw", 1001 + 33 * i, ros1Image({ encoding: "mono16", data })),
    entry("/camera/depth/metadata", 1002 + 33 * i, ros1("realsense2_camera_msgs/Metadata", { header, json_data })),
    entry("/camera/imu", 1003 + 33 * i, imu(0.5, 9.8, -1)),
  ]);
  await using recording = await openRecording(disk.file("a.mcap", await mcapOf(entries)));
  const found = await recording.extras?.read(1, ["metadata", "infrared", "motion"]);
  expect(found?.metadata).toEqual([
    ["frame_number", "12"],
    ["actual_exposure", "8500"],
    ["clock_domain", "global_time"],
  ]);
  expect(found?.infrared?.data.at(-1)).toBe(300 * (WIDTH * HEIGHT - 1));
  expect(found?.motion).toEqual({ accelerometer: [], gyroscope: [{ timestamp: 1003, xyz: [0.5, 0, 0] }] });
});

test.each([
  ["/camera/ir/image_raw", ["/camera/rgb/image_rect_gray", "/camera/ir/image_raw"]],
  ["/camera/infra1/image_rect_raw", ["/camera/gray/image_raw", "/camera/infra1/image_rect_raw"]],
  ["/camera/amplitude", ["/ouster/signal_image", "/camera/amplitude"]],
  [undefined, ["/ouster/signal_image", "/flir_boson/image_raw", "/zed/left/image_rect_gray"]],
])("the infrared image is %s of the grey images %s", async (from, topics) => {
  const entries = ["/camera/depth/image_raw", ...topics].map((topic, i) => ({
    ...{ topic, time: 1000 },
    message: i === 0 ? ros2Depth(0) : ros2Image({ encoding: "mono8", data: grey }),
  }));
  await using recording = await openRecording(disk.file("grey.mcap", await mcapOf(entries)));
  expect((await recording.extras?.read(0, ALL))?.infrared?.from).toBe(from);
});

test("a recording without them says so", async () => {
  const entries = [entry("/depth/image", 0, depth(0))];
  await using recording = await openRecording(disk.file("b.mcap", await mcapOf(entries)));
  expect(recording.extras).toBeUndefined();
});

describe.skipIf(!existsSync("../shared/data"))("real recordings", () => {
  test("a RealSense D435's second frame", async () => {
    await using recording = await openRecording("../shared/data/realsense_d435.bag");
    const noted = new Map((await recording.extras?.read(1, ["metadata"]))?.metadata);
    const names = ["Frame Counter", "Actual Exposure", "Gain Level", "Frame Laser Power", "Asic Temperature (setting)"];
    expect([recording.extras?.holds, ...names.map((name) => noted.get(name))]).toEqual([
      ...[["metadata"], "170", "6452", "16", "150", "29"],
    ]);
  });

  test("an Azure Kinect's infrared image and the sample before its only frame", async () => {
    await using recording = await openRecording("../shared/data/azure_kinect.mkv");
    const found = await recording.extras?.read(0, ["metadata", "infrared", "motion"]);
    expect(found?.metadata).toContainEqual(["K4A_DEPTH_MODE", "NFOV_UNBINNED"]);
    const { width, height, data = [] } = found?.infrared ?? {};
    expect([width, height]).toEqual([640, 576]);
    // Where the sensor measured a distance it saw light.
    const { depth: image } = await recording.read(0);
    const seen = image.data.filter((mm, i) => mm > 0 && (data[i] ?? 0) > 0).length;
    expect(seen / image.data.filter((mm) => mm > 0).length).toBeGreaterThan(0.99);
    const [sample] = found?.motion?.accelerometer ?? [];
    expect(sample && Math.hypot(...sample.xyz)).toBeCloseTo(9.8, 0);
    expect(sample?.timestamp).toBeCloseTo(336.277, 0);
  });
});
