import { existsSync, readFileSync } from "node:fs";
import { decode } from "fast-png";
import { describe, expect, test } from "vitest";
import { countValid } from "../../../core/frame.ts";
import { openRecording } from "../../../sources/index.ts";
import { depthHash } from "../fixtures.ts";

// A recording of a RealSense D435. The file is not in the repository; without it the test is skipped.

const file = "../shared/data/realsense_d435.bag";

describe.skipIf(!existsSync(file))("the real recording realsense_d435.bag", () => {
  test("gives the published size, unit, lens and depth, bit for bit, with registered colour", async () => {
    await using recording = await openRecording(file);
    expect(recording).toMatchObject({ format: "bag", length: 2, fps: 6, warnings: [] });
    for (const index of [0, 1]) {
      const { depth, color, metresPerUnit, intrinsics } = await recording.read(index);
      const png = readFileSync(`../shared/data/realsense_d435_expected/00000${index}.png`);
      expect(Buffer.from(depth.data.buffer).equals(Buffer.from(decode(png).data.buffer))).toBe(true);
      expect(depth.shape).toEqual([480, 640]);
      expect(metresPerUnit).toBe(0.001);
      expect(intrinsics).toMatchObject({ width: 640, height: 480, fx: 390.43145751953125, cx: 331.38787841796875 });
      // The colour camera sees between 30 % and 50 % of the depth image.
      const seen = color?.data.filter((value, at) => at % 4 === 3 && value === 255).length ?? 0;
      expect(seen / countValid(depth)).toBeGreaterThan(0.3);
      expect(seen / countValid(depth)).toBeLessThan(0.5);
    }
    const { depth } = await recording.read(0);
    expect(depthHash(depth.data).slice(0, 16)).toBe("c5ae993b10a1fd36");
    expect(countValid(depth) / depth.data.length).toBeCloseTo(0.9327, 4);
    expect(recording.facts.find(({ what }) => what === "unit")?.from).toMatch(/^topic .*Depth Units\/value$/);
  });
});
