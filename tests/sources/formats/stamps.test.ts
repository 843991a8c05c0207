import { describe, expect, test } from "vitest";
import { sensorTimes } from "../../../sources/messages/stamps.ts";
import { bagOf, db3Of, type Entry, type McapShape, mcapOf, readAll } from "../logs/files.ts";
import { colorValues, depthUnits, rows16 } from "../logs/frames.ts";
import { ros1Image, ros2Image, ros2Lens, stamped, type Written } from "../logs/messages.ts";

// Times of frames are those of the sensor's own stamps. The recorder writes messages later, in bursts, or by a clock that leaps.

const START = 1_650_000_000_000;
const steady = (count: number) => Float64Array.from({ length: count }, (_, i) => START + 40 * i);
const written = (topic: string, message: Written, stampMs: number, recordedMs: number): Entry => ({
  topic,
  time: recordedMs,
  message: { ...message, data: stamped(message, stampMs) },
});
const depthAt = (i: number, late = 0, image = ros2Image) =>
  written("/depth", image({ encoding: "16UC1", data: rows16(depthUnits(i)) }), START + 40 * i, START + 40 * i + late);
const colorAt = (i: number, late = 0) =>
  written("/color", ros2Image({ encoding: "rgb8", data: colorValues(i) }), START + 40 * i, START + 40 * i + late);

describe("the stamps of messages", () => {
  test.each<[string, McapShape]>([
    ["plain", {}],
    ["packed", { compression: "zstd" }],
    ["without chunks", { chunked: false }],
  ])("pair colour that was recorded late (%s)", async (_, shape) => {
    const entries = [0, 1, 2, 3, 4].flatMap((i) => [depthAt(i), colorAt(i, 55)]);
    const { frames, warnings } = await readAll(await mcapOf(entries, shape), "a.mcap");
    expect(warnings.filter((line) => /stamp|clock/.test(line))).toEqual([]);
    expect(frames.map(({ color }) => color?.slice(0, 3))).toEqual(
      frames.map((_, i) => [...colorValues(i).slice(0, 3)]),
    );
  });

  test("give rate and times of a steady camera that was recorded in bursts, and order frames", async () => {
    const late = (i: number) => 160 - 40 * (i % 4);
    for (const bytes of [
      await db3Of(Array.from({ length: 12 }, (_, i) => depthAt(i, late(i) + i * 0.1))),
      bagOf(Array.from({ length: 12 }, (_, i) => depthAt(i, late(i) + i * 0.1, ros1Image))),
      await mcapOf([1, 0, 3, 2, 5, 4].map((i) => depthAt(i, i % 2 ? 0 : 70))),
    ]) {
      const { fps, frames } = await readAll(bytes, "a");
      expect(fps).toBe(25);
      frames.forEach(({ timestamp, depth }, i) => {
        expect(timestamp).toBeCloseTo(START + 40 * i, 3);
        expect(depth).toEqual([...depthUnits(i)]);
      });
    }
  });

  test.each([
    ["one of 0", (t: Float64Array) => t.fill(0, 5, 6), /1 of 12 time stamps/],
    ["the first of 0", (t: Float64Array) => t.fill(0, 0, 1), /1 of 12 time stamps/],
    ["one near the end of time", (t: Float64Array) => t.fill(1.8e13, 7, 8), /1 of 12 time stamps/],
    ["an hour's leap of the last six", (t: Float64Array) => t.map((ms, i) => ms + (i > 5 ? 3_600_000 : 0)), /6 of 12/],
  ])("with %s have the recorder's distance there, with a warning", (_, spoil, warning) => {
    const found = sensorTimes(
      steady(12).map((ms) => ms + 7),
      spoil(steady(12)),
    );
    expect([...found.times]).toEqual([...steady(12)]);
    expect(found.warning).toMatch(warning);
  });

  test("of two cameras with different clocks meet by the recorder's", async () => {
    const boot = (i: number) =>
      written("/color", ros2Image({ encoding: "rgb8", data: colorValues(i) }), 5000 + 40 * i, START + 40 * i);
    const entries = [0, 1, 2, 3].flatMap((i) => [depthAt(i), boot(i)]);
    const { frames } = await readAll(
      await mcapOf([...entries, { topic: "/depth/camera_info", time: START, message: ros2Lens() }]),
      "a.mcap",
    );
    expect(frames.map(({ color }) => color?.slice(0, 3))).toEqual(
      frames.map((_, i) => [...colorValues(i).slice(0, 3)]),
    );
  });
});
