import { existsSync, readFileSync } from "node:fs";
import { decode } from "fast-png";
import { encode } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { countValid } from "../../../core/frame.ts";
import { openRecording } from "../../../sources/index.ts";
import { depthHash } from "../fixtures.ts";
import { calibrationJson, type MkvParts, mkvOf } from "../makers/mkv.ts";
import { openBytes } from "../opening.ts";

// Azure Kinect recordings: depth, colour and lens come back, from finished, unfinished and damaged files.

/** A depth image, by default of the smallest mode; every eleventh value is 0. */
const depthOf = (seed: number, width = 320, height = 288) =>
  new Uint16Array(width * height).map((_, i) => (i % 11 === 0 ? 0 : 400 + ((i * 7 + seed * 131) % 3000)));

const small: MkvParts = {
  width: 8,
  height: 6,
  depth: [0, 1, 2].map((seed) => depthOf(seed, 8, 6)),
  color: { kind: "NV12", width: 4, height: 2, frames: [0, 1, 2].map((i) => new Uint8Array(12).fill(90 + i)) },
  calibration: calibrationJson(),
};

describe("an Azure Kinect recording", () => {
  test.each<[string, Partial<MkvParts>]>([
    ["finished", {}],
    ["unfinished: no sizes, no cues", { unfinished: true }],
    ["with its sizes and numbers in as many bytes as they may take", { wide: true }],
    ["an early one, whose depth is called YUY2", { depthKind: "YUY2" }],
  ])("(%s) comes back bit for bit, with its times", async (_, more) => {
    await using recording = await openBytes("a.mkv", mkvOf({ ...small, ...more }));
    expect([recording.format, recording.length, recording.fps]).toEqual(["mkv", 3, 30]);
    expect(recording.warnings.some((line) => line.includes("not finished"))).toBe(false);
    for (const [i, expected] of small.depth.entries()) {
      const { depth, metresPerUnit, timestamp } = await recording.read(i);
      expect(depth.data).toEqual(expected);
      expect([metresPerUnit, timestamp, recording.timestampOf(i)]).toEqual([0.001, 5000 + 33 * i, 5000 + 33 * i]);
    }
  });

  test("has the lens and the distortion of its depth mode, from its calibration.json", async () => {
    const depth = [depthOf(0)];
    await using recording = await openBytes(
      "a.mkv",
      mkvOf({ width: 320, height: 288, depth, calibration: calibrationJson() }),
    );
    const { intrinsics } = await recording.read(0);
    // The mode is a crop of 512 × 512 at (96, 90); pixel centres are at whole numbers.
    expect(intrinsics).toEqual({
      ...{ fx: 0.49 * 512, fy: 0.49 * 512, cx: 159.5, cy: 165.5, width: 320, height: 288 },
      ...{ distortion: [0.5, -0.02, 0.0002, 0.0001, 0, 0.9, 0.08, 0], distortionModel: "rational" },
    });
    expect(recording.facts).toContainEqual(
      expect.objectContaining({ what: "intrinsics", from: "file calibration.json" }),
    );
    expect(recording.warnings).toEqual([]);
  });

  const grey = (width: number, height: number) => new Uint8Array(width * height * 4).fill(120);
  test.each([
    ["MJPG", Uint8Array.from(encode({ data: grey(1280, 720), width: 1280, height: 720 }, 90).data), 120],
    ["NV12", new Uint8Array(1280 * 720 * 1.5).fill(128), 130],
    ["YUY2", new Uint8Array(1280 * 720 * 2).fill(128), 130],
    ["BGRA", grey(1280, 720), 120],
  ])("has its %s colour registered to depth", async (kind, picture, shade) => {
    const color = { kind, width: 1280, height: 720, frames: [picture] };
    const parts = { width: 320, height: 288, depth: [depthOf(0).fill(900)], color, calibration: calibrationJson() };
    await using recording = await openBytes("a.mkv", mkvOf(parts));
    const frame = await recording.read(0);
    const middle = 4 * (144 * 320 + 160);
    expect([...(frame.color?.data ?? []).slice(middle, middle + 4)]).toEqual([shade, shade, shade, 255]);
    expect(recording.facts).toContainEqual(
      expect.objectContaining({ what: "colour", value: expect.stringContaining(kind) }),
    );
    expect(recording.warnings).toEqual([]);
  });

  test("without calibration.json, or with H264 colour, plays without colour, with a warning", async () => {
    const { calibration: _, ...bare } = small;
    const without = await openBytes("a.mkv", mkvOf(bare));
    expect(without.warnings.join()).toContain("a.mkv: no calibration.json is attached; frames go without colour");
    expect((await without.read(0)).color).toBeUndefined();
    const color = { kind: "H264", width: 4, height: 2, frames: [new Uint8Array(9)] };
    const other = await openBytes("a.mkv", mkvOf({ ...small, color }));
    expect(other.warnings.join()).toContain("its colour, H264 of 4×2, is not supported");
    await Promise.all([without.close(), other.close()]);
  });

  test.each<[string, Partial<MkvParts>, string]>([
    ["that is a film without depth", { trackName: "Video" }, "this is a Matroska film without a track of depth"],
    ["with depth of another codec", { depthKind: "FFV1" }, 'a.mkv: its depth is of the kind "FFV1", and only'],
    ["without a frame", { depth: [] }, "a.mkv: it has no depth frame"],
    ["with another image size than it states", { width: 9 }, "a.mkv: its depth is not 9×6 of 16 bits"],
  ])("%s is refused with a reason", async (_, more, message) => {
    await expect(openBytes("a.mkv", mkvOf({ ...small, ...more }))).rejects.toThrow(message);
  });

  test("that is cut off plays to its last whole frame", async () => {
    const whole = mkvOf({ ...small, unfinished: true });
    const recording = await openBytes("a.mkv", whole.subarray(0, -20));
    // The last cluster's colour is cut; its depth comes before.
    expect(recording.length).toBe(3);
    expect(recording.warnings.join()).toMatch(/it is cut off or damaged at byte \d+ of \d+; what comes before plays/);
    await recording.close();
    const shorter = await openBytes("a.mkv", whole.subarray(0, -80));
    expect(shorter.length).toBe(2);
    await shorter.close();
    for (const length of [60, 400]) {
      await expect(openBytes("a.mkv", whole.subarray(0, length))).rejects.toThrow(
        /^a\.mkv: it is cut off or damaged at byte \d+ of \d+, and there is no depth image before that; copy or download/,
      );
    }
  });
});

const data = "../shared/data";
describe.skipIf(!existsSync(`${data}/azure_kinect.mkv`))("the real Azure Kinect recording in ../shared/data", () => {
  test("gives the published depth frame, and colour registered to it", async () => {
    await using recording = await openRecording(`${data}/azure_kinect.mkv`);
    expect([recording.format, recording.length, recording.warnings]).toEqual(["mkv", 1, []]);
    const { depth, metresPerUnit, color } = await recording.read(0);
    expect([depth.shape, metresPerUnit, depthHash(depth.data).slice(0, 16)]).toEqual([
      [576, 640],
      0.001,
      "912df5eb8893c54b",
    ]);
    expect(countValid(depth) / depth.data.length).toBeCloseTo(0.7648, 4);
    const expected = decode(readFileSync(`${data}/azure_kinect_expected/000000.png`)).data;
    expect(Buffer.compare(Buffer.from(expected.buffer), Buffer.from(depth.data.buffer))).toBe(0);

    // The wall to the left of the mug is hidden from the colour camera; the blind is brighter than the wall beside it.
    const at = (x: number, y: number) => [...(color?.data ?? []).slice(4 * (y * 640 + x), 4 * (y * 640 + x) + 4)];
    expect(depth.get(400, 110)).toBeGreaterThan(0);
    expect([at(110, 400)[3], at(140, 420)[3]]).toEqual([0, 255]);
    expect(at(500, 200)[0]).toBeGreaterThan(at(340, 200)[0] + 60);
    const valid = countValid(depth);
    let colored = 0;
    for (let i = 3; i < (color?.data.length ?? 0); i += 4) if (color?.data[i] === 255) colored++;
    expect(colored / valid).toBeGreaterThan(0.85);
    expect(at(1, 1)).toEqual([0, 0, 0, 0]);
  });
});
