import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { decode } from "fast-png";
import { describe, expect, test } from "vitest";
import { countValid } from "../../../sources/core/frame.ts";
import { openRecording } from "../../../sources/index.ts";

// A RealSense D435's own recording. It is not part of the project; where it is absent this shows as skipped.

const file = "../shared/data/realsense_d435.bag";

describe.skipIf(!existsSync(file))("realsense_d435.bag", () => {
  test("is what is published of it: frames, size, unit, lens, depth to the last bit, and colour on it", async () => {
    const recording = await openRecording(file);
    expect(recording).toMatchObject({ format: "bag", length: 2, fps: 6, warnings: [] });
    for (const index of [0, 1]) {
      const { depth, color, metresPerUnit, intrinsics } = await recording.read(index);
      const png = readFileSync(`../shared/data/realsense_d435_expected/00000${index}.png`);
      expect(Buffer.from(depth.data.buffer).equals(Buffer.from(decode(png).data.buffer))).toBe(true);
      expect(depth.shape).toEqual([480, 640]);
      expect(metresPerUnit).toBe(0.001);
      expect(intrinsics).toMatchObject({ width: 640, height: 480, fx: 390.43145751953125, cx: 331.38787841796875 });
      // The colour camera sees a third of what depth does.
      const seen = color?.data.filter((value, at) => at % 4 === 3 && value === 255).length ?? 0;
      expect(seen / countValid(depth)).toBeGreaterThan(0.3);
      expect(seen / countValid(depth)).toBeLessThan(0.5);
    }
    const { depth } = await recording.read(0);
    const hash = createHash("sha256").update(new Uint8Array(depth.data.buffer)).digest("hex");
    expect(hash.slice(0, 16)).toBe("c5ae993b10a1fd36");
    expect(countValid(depth) / depth.data.length).toBeCloseTo(0.9327, 4);
    expect(recording.facts.find(({ what }) => what === "unit")?.from).toMatch(/^topic .*Depth Units\/value$/);
    await recording.close();
  });
});
