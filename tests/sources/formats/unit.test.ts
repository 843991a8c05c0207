import { join } from "node:path";
import { expect, test } from "vitest";
import { image } from "../../../core/frame.ts";
import { judged } from "../../../run/batch/quality/require.ts";
import { openRecording } from "../../../sources/index.ts";
import { recordMcap, writeLerobot } from "../../../write/index.ts";
import { type Contents, colorPng, depthPng, depthValues, useFolder } from "../fixtures.ts";
import { mcapOf, readAll } from "../logs/files.ts";
import { rows16 } from "../logs/frames.ts";
import { ros2Image, stamped } from "../logs/messages.ts";

// A unit is a guess unless something says it: a warning names a guess that is likely wrong, and one option mends it.

const { folder } = useFolder();
const floats = (values: (i: number) => number) =>
  new Uint8Array(Float32Array.from({ length: 24 }, (_, i) => values(i)).buffer);
const mcap = (data: Uint8Array, encoding = "32FC1") =>
  mcapOf([{ topic: "/depth", time: 1000, message: ros2Image({ encoding, data }) }]);
/** A .npy of 4 × 6 floats. */
const npy = (data: Uint8Array) => {
  const head = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 6), }".padEnd(117).concat("\n");
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), Uint8Array.of(118, 0), Buffer.from(head), data]);
};

test.each([
  ["millimetres", (i: number) => 800 + 50 * i, 0.001],
  ["centimetres", (i: number) => 80 + 5 * i, 0.01],
])("floats in %s are told of, and read by --depth-scale", async (unit, values, metresPerUnit) => {
  for (const [bytes, name] of [
    [await mcap(floats(values)), "a.mcap"],
    [Uint8Array.from(npy(floats(values))), "a.npy"],
  ] as const) {
    const guess = await readAll(bytes, name);
    expect(guess.warnings.join()).toMatch(
      new RegExp(`out of range as metres.*likely ${unit}.*metresPerUnit ${metresPerUnit}`),
    );
    const { frames, warnings } = await readAll(bytes, name, { metresPerUnit });
    expect(warnings.join()).not.toMatch(/out of range/);
    expect(frames[0].depth.map((value) => Math.round(value * frames[0].metresPerUnit * 1000))).toEqual(
      Array.from({ length: 24 }, (_, i) => Math.round(values(i) * metresPerUnit * 1000)),
    );
  }
});

test("floats in centimetres are read by the unit of recording.json or of a text beside them, in whole millimetres", async () => {
  const array = Uint8Array.from(npy(floats((i) => 80 + i / 2)));
  for (const said of [{ "recording.json": '{ "metresPerUnit": 0.01 }' }, { "meta.json": '{ "depth_unit": "cm" }' }]) {
    await using recording = await openRecording(
      folder({ "depth/0.npy": array, "depth/1.npy": array, ...(said as Contents) }),
    );
    const { depth, metresPerUnit } = await recording.read(0);
    expect([metresPerUnit, ...depth.data.slice(0, 3)]).toEqual([0.001, 800, 805, 810]);
  }
});

test.each([0.01, 1 / 256, 0.005, 1])(
  "depth beyond 65 m in units of %f m comes back from MCAP and from LeRobot",
  async (unit) => {
    const metres = Array.from({ length: 48 }, (_, i) => Math.round((90 + i) / unit));
    const depth = image(Uint16Array.from(metres), [6, 8]);
    const intrinsics = { fx: 8, fy: 8, cx: 3.5, cy: 2.5, width: 8, height: 6 };
    const frame = { depth, metresPerUnit: unit, intrinsics, timestamp: 0, index: 0 };
    const place = folder({});
    const { recorder, close } = await recordMcap(join(place, "far.mcap"));
    await recorder.frame(frame);
    await close();
    const recording = { length: 1, fps: 30, read: async () => frame };
    await writeLerobot([{ recording, start: 0, count: 1 }], join(place, "set"), { depth: "tiff", task: "fly" });
    for (const name of ["far.mcap", "set"]) {
      await using again = await openRecording(join(place, name));
      expect(await again.read(0)).toMatchObject({ metresPerUnit: unit, depth: { data: depth.data } });
      expect(again.warnings.join()).not.toMatch(/unit|metres/);
    }
  },
);

test("images with times for names are millimetres at those times, and TUM's unit only beside TUM's files or at TUM's times", async () => {
  const images = (name: string, from: number) =>
    Object.fromEntries([0, 1, 2].map((i) => [`${name}/${(from + i / 10).toFixed(6)}.png`, depthPng(depthValues(i))]));
  const open = async (contents: Contents, from = 100) => {
    await using recording = await openRecording(folder({ ...images("depth", from), ...contents }));
    const { metresPerUnit, timestamp } = await recording.read(2);
    return { format: recording.format, metresPerUnit, timestamp };
  };
  expect(await open({})).toEqual({ format: "png", metresPerUnit: 0.001, timestamp: 100_200 });
  expect(await open({ "groundtruth.txt": "100 0 0 0 0 0 0 1\n" })).toMatchObject({
    format: "tum",
    metresPerUnit: 1 / 5000,
  });
  const [then, now] = [1_305_031_102, 1_705_031_102];
  expect(await open(images("rgb", then), then)).toMatchObject({ format: "tum", metresPerUnit: 1 / 5000 });
  expect(await open({}, then)).toMatchObject({ format: "png", metresPerUnit: 0.001 });
  expect(await open(images("rgb", now), now)).toMatchObject({ format: "png", metresPerUnit: 0.001 });
});

test("a scene within half a metre by a unit that is a guess is told of, and one by a unit that is given is not", async () => {
  const near = depthPng(Uint16Array.from(depthValues(0), (value) => value >> 3));
  const warningsOf = async (options = {}) => {
    await using recording = await openRecording(folder({ "0.png": near }), options);
    await recording.read(0);
    const warnings = recording.warnings.join();
    return warnings;
  };
  expect(await warningsOf()).toMatch(/nothing in frame 0 is farther than 0\.2 m/);
  expect(await warningsOf({ metresPerUnit: 0.001 })).not.toMatch(/nothing in frame/);
  const whole = await readAll(await mcap(rows16(new Uint16Array(24).fill(80)), "16UC1"), "a.mcap");
  expect(whole.warnings.join()).toMatch(/farther than 0\.08 m/);
});

test("batch calls no recording good without a valid pixel, with a clock that leaps, or with colour that pairs with no depth", async () => {
  const row = { recording: "a", input: "a", state: "good", why: "", bytes: 1, frames: 3, empty: 3 } as const;
  expect(judged(row, [])).toMatchObject({ state: "short", why: "no valid pixel in any frame" });
  expect(judged({ ...row, empty: 2 }, [])).toMatchObject({ state: "good" });
  const data = rows16(new Uint16Array(24).fill(800));
  const image16 = ros2Image({ encoding: "16UC1", data });
  const imageAt = (ms: number) => ({ ...image16, data: stamped(image16, ms) });
  const at = (time: number, stamp = time) => ({ topic: "/depth", time, message: imageAt(stamp) });
  const color = (time: number) => ({
    topic: "/color",
    time,
    message: ros2Image({ encoding: "mono8", data: new Uint8Array(24) }),
  });
  const png = depthPng(depthValues(0));
  const lists = { "depth.txt": "1.5 d.png\n", "rgb.txt": "9.5 c.png\n", "d.png": png };
  const leap = await mcapOf([0, 1, 2, 3].map((i) => at(1000 + 40 * i, i === 2 ? 9e8 : 1000 + 40 * i)));
  const apart = await mcapOf([at(1000), at(1040), color(90_000)]);
  for (const [contents, name, why] of [
    [{ "a.mcap": leap }, "/a.mcap", "its clock leaps"],
    [{ "a.mcap": apart }, "/a.mcap", "its colour does not pair with its depth"],
    [lists, "", "its colour does not pair with its depth"],
    [
      {
        "depth/1.png": png,
        "depth/2.png": png,
        "rgb/a_8.png": colorPng(0),
        "rgb/a_9.png": colorPng(0),
        "rgb/a_7.png": colorPng(0),
      },
      "",
      "its colour does not pair with its depth",
    ],
  ] as const) {
    await using recording = await openRecording(`${folder(contents)}${name}`);
    expect(judged({ ...row, empty: 0, warnings: recording.warnings }, [])).toMatchObject({ state: "short", why });
  }
});
